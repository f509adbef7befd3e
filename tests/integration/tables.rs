//! Endgame tables: against the plain reference, against published values, against themselves, and broken on purpose.

use crate::data::{self, rows};
use crate::driver::{PROGRAM, Tables, empty_folder, has_shell, replaces_open_files};
use crate::reference::{self, Value};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use sundarban::game::Game;
use sundarban::notation::fen;
use sundarban::position::Position;
use sundarban::rules::{Chain, RuleSet, Side};
use sundarban::search::control::Control;
use sundarban::search::limits::Limits;
use sundarban::search::score::Score;
use sundarban::search::tt::TranspositionTable;
use sundarban::search::{SearchMode, SearchResult, SearchSettings, search};
use sundarban::tablebase::build::{BuildError, BuildPlan, build};
use sundarban::tablebase::file::BLOCK_POSITIONS;
use sundarban::tablebase::layer::Layer;
use sundarban::tablebase::layout::Layout;
use sundarban::tablebase::probe::LayerTable;
use sundarban::tablebase::vector::members;
use sundarban::tablebase::verify::verify;
use sundarban::tablebase::{OpenError, ProbeError, Tablebase, Wdl};

/// A folder of its own for a test, empty at first and gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(empty_folder(&format!("tables-{name}")))
    }

    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        contents(&self.0)
    }
}

/// The names of a folder's files and what is in them.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(rules: &'static RuleSet, folder: &Folder, goats: u32, herds: usize) -> BuildPlan {
    BuildPlan { rules, dir: folder.0.clone(), goats, herds, layer: None, distances: true, memory: 4 << 30, threads: 2 }
}

fn built(rules: &'static RuleSet, folder: &Folder, goats: u32, herds: usize) -> Tablebase {
    build(&plan(rules, folder, goats, herds), |_| {}).unwrap();
    Tablebase::open(&folder.0, rules).unwrap()
}

fn opened(tables: Tables) -> Tablebase {
    Tablebase::open(&tables.folder(), named(tables.rules)).unwrap()
}

/// Plies to the end of the game, where the tables know them.
fn distance(tables: &Tablebase, position: &Position) -> Option<u32> {
    tables.probe(position).ok()?.plies
}

fn named(rules: &str) -> &'static RuleSet {
    RuleSet::named(rules).unwrap()
}

/// Tables of baghbandi with up to three goats and one herd, for several tests.
fn three_goats() -> Arc<Tablebase> {
    static TABLES: OnceLock<Arc<Tablebase>> = OnceLock::new();
    Arc::clone(TABLES.get_or_init(|| Arc::new(opened(Tables::with_distances(3)))))
}

fn agrees_with_the_reference(tables: &Tablebase, goats: u32) {
    let rules = tables.rules().name;
    let mut count = 0;
    for (state, value) in reference::solve(rules, goats, goats).iter() {
        let position = fen::parse(named(rules), &state.to_fen()).unwrap();
        if position.herd_points().len() > 1 {
            continue;
        }
        let (expected, plies) = match value {
            Value::Win(plies) => (Wdl::Win, Some(plies)),
            Value::Draw => (Wdl::Draw, None),
            Value::Loss(plies) => (Wdl::Loss, Some(plies)),
        };
        assert_eq!(tables.probe_wdl(&position).ok(), Some(expected), "{rules} {}", state.to_fen());
        assert_eq!(distance(tables, &position), plies, "{rules} {}", state.to_fen());
        count += 1;
    }
    let layers = Layer::all(1, goats);
    let positions: u64 = layers.into_iter().map(|layer| Layout::new(named(rules), layer, goats).positions()).sum();
    assert_eq!(positions, count, "positions without a value in the reference");
}

#[test]
fn bagh_bandi_agrees_with_the_reference() {
    agrees_with_the_reference(&three_goats(), 3);
}

#[test]
fn the_other_rule_sets_agree_with_the_reference() {
    for rules in RuleSet::all().iter().skip(1) {
        let folder = Folder::new(&format!("reference-{}", rules.name));
        agrees_with_the_reference(&built(rules, &folder, 2, 1), 2);
    }
}

/// A rule set that is fought out with few goats, which the rule sets with its chains are not.
fn few(chain: Chain, like: &'static RuleSet) -> RuleSet {
    RuleSet { name: "few", chain, goats_to_live: 2, ..*like }
}

/// All positions of some layers, and their values by sweeps over them until nothing changes.
fn plain_values(rules: &'static RuleSet, goats: u32, herds: usize) -> Vec<(Position, Wdl)> {
    let mut positions = Vec::new();
    for layer in Layer::all(herds, goats) {
        let layout = Layout::new(rules, layer, goats);
        for index in layout.chunks().highs().flat_map(|high| members(high, layout.valid(high))) {
            for pair in 0..layout.pairs().len() {
                for side in [Side::White, Side::Black] {
                    positions.push(layout.position_at(rules, pair, index, side).unwrap());
                }
            }
        }
    }
    let numbers: HashMap<_, _> = positions.iter().enumerate().map(|(number, at)| (at.key(), number as u32)).collect();
    let mut values = vec![None; positions.len()];
    // The children of all positions, one list after the other, and of the positions without a value where their list is.
    let (mut children, mut open) = (Vec::new(), Vec::new());
    for (number, position) in positions.iter().enumerate() {
        if let Some(ending) = position.ending() {
            values[number] = Some(if ending.winner() == position.side() { Wdl::Win } else { Wdl::Loss });
            continue;
        }
        let first = children.len();
        children.extend(position.legal_moves().iter().map(|mv| numbers[&position.play(*mv).key()]));
        open.push((number, first..children.len()));
    }
    loop {
        let before = open.len();
        open.retain(|(number, list)| {
            let mut of_children = children[list.clone()].iter().map(|child| values[*child as usize]);
            if of_children.clone().any(|value| value == Some(Wdl::Loss)) {
                values[*number] = Some(Wdl::Win);
            } else if of_children.all(|value| value == Some(Wdl::Win)) {
                values[*number] = Some(Wdl::Loss);
            }
            values[*number].is_none()
        });
        if open.len() == before {
            break;
        }
    }
    positions.into_iter().zip(values.into_iter().map(|value| value.unwrap_or(Wdl::Draw))).collect()
}

fn agrees_with_plain_sweeps(rules: &'static RuleSet, goats: u32, herds: usize) {
    let folder = Folder::new(&format!("plain-{:?}", rules.chain));
    let tables = built(rules, &folder, goats, herds);
    for (position, value) in plain_values(rules, goats, herds) {
        assert_eq!(tables.probe_wdl(&position).ok(), Some(value), "{:?} {}", rules.chain, fen::Fen(&position));
    }
}

#[test]
fn single_jumps_and_a_least_number_of_goats_are_right() {
    static RULES: std::sync::LazyLock<RuleSet> = std::sync::LazyLock::new(|| few(Chain::Single, named("wikipedia")));
    agrees_with_plain_sweeps(&RULES, 3, 1);
}

#[test]
fn chains_beyond_herds_are_right() {
    static RULES: std::sync::LazyLock<RuleSet> = std::sync::LazyLock::new(|| few(Chain::Free, named("wikipedia")));
    agrees_with_plain_sweeps(&RULES, 3, 1);
}

/// Verifies a table: all of its positions if they are few, else some.
fn agrees_with_its_moves(tables: &Tablebase, table: &LayerTable) {
    let verified = verify(tables, table, Some(5_000), 2).unwrap();
    let layer = table.layout().layer();
    assert_eq!((verified.wrong, verified.unknown), (0, 0), "{layer} {:?}", verified.example);
    assert!(verified.checked >= 5_000.min(table.layout().positions_stored()), "{layer}: {}", verified.checked);
}

#[test]
fn chains_over_two_herds_agree_with_their_moves() {
    static RULES: std::sync::LazyLock<RuleSet> =
        std::sync::LazyLock::new(|| few(Chain::Free, named("wikipedia-multi")));
    let folder = Folder::new("two-herds");
    // Herds on one line with a point between them, so that one chain takes from both, and what they lead to.
    for heights in [[0; 4], [2, 0, 0, 0], [2, 0, 2, 0]] {
        build(&BuildPlan { layer: Layer::new(heights), ..plan(&RULES, &folder, 4, 2) }, |_| {}).unwrap();
    }
    let tables = Tablebase::open(&folder.0, &RULES).unwrap();
    for table in tables.layers() {
        agrees_with_its_moves(&tables, table);
    }
}

#[test]
fn herds_that_no_symmetry_exchanges_agree_with_their_moves() {
    let folder = Folder::new("unlike-herds");
    let rules = named("baghbandi");
    for heights in ["0000", "0200", "2000"] {
        Tables::with_distances(4).copy(&format!("baghbandi-{heights}.table"), &folder.0);
    }
    let layer = Layer::new([2, 2, 0, 0]);
    build(&BuildPlan { layer, ..plan(rules, &folder, 4, 2) }, |_| {}).unwrap();
    let tables = Tablebase::open(&folder.0, rules).unwrap();
    let table = tables.layers().find(|table| Some(table.layout().layer()) == layer).unwrap();
    agrees_with_its_moves(&tables, table);
}

#[test]
fn published_values_agree() {
    let tables = opened(Tables::with_distances(4));
    for table in tables.layers() {
        agrees_with_its_moves(&tables, table);
    }
    let mut count = 0;
    for fields in rows(data::VALUES) {
        let position = fen::parse(named("baghbandi"), fields[0]).unwrap();
        let Some(found) = tables.probe_wdl(&position).ok() else { continue };
        assert_eq!(found, if fields[1] == "W" { Wdl::Win } else { Wdl::Draw }, "{fields:?}");
        let keeps = |mv: &&_| tables.probe_wdl(&position.play(**mv)).ok().map(Wdl::opposite) == Some(found);
        let mut keeping: Vec<String> = position.legal_moves().iter().filter(keeps).map(ToString::to_string).collect();
        keeping.sort();
        assert_eq!(keeping.join(" "), fields[2], "{fields:?}");
        count += 1;
    }
    assert!(count > 300, "{count}");
}

fn searched(game: &Game, depth: u32, style: SearchMode, tables: Option<Arc<Tablebase>>) -> SearchResult {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let settings = SearchSettings { mode: style, tablebase: tables, ..SearchSettings::default() };
    search(game, &limits, &settings, &TranspositionTable::new(1), &Control::default(), |_| {})
}

/// Some positions of all tables, evenly spaced.
fn sample(tables: &Tablebase, every: usize) -> Vec<Position> {
    let mut all = Vec::new();
    for table in tables.layers() {
        let layout = table.layout();
        let indices = layout.chunks().highs().flat_map(|high| members(high, layout.valid(high)));
        let places = indices.flat_map(|index| (0..layout.pairs().len()).map(move |pair| (index, pair)));
        for (number, (index, pair)) in places.step_by(every).enumerate() {
            let side = if number % 2 == 0 { Side::White } else { Side::Black };
            all.push(layout.position_at(tables.rules(), pair, index, side).unwrap());
        }
    }
    all
}

#[test]
#[ignore = "a measurement; cargo test --release --test integration -- --ignored --nocapture microsecond"]
fn probing_a_block_in_memory_takes_less_than_a_microsecond() {
    let tables = three_goats();
    let positions = sample(&tables, 7);
    let probe = || positions.iter().filter(|position| tables.probe_value(position).is_ok()).count();
    assert_eq!(probe(), positions.len());
    let nanoseconds = |_| {
        let began = Instant::now();
        assert_eq!(probe(), positions.len());
        began.elapsed().as_nanos() as f64 / positions.len() as f64
    };
    let best = (0..10).map(nanoseconds).fold(f64::INFINITY, f64::min);
    println!("{best:.0} ns a probe, {} positions", positions.len());
    assert!(best < 1000.0);
}

#[test]
fn search_without_pruning_agrees_with_the_distances() {
    let tables = three_goats();
    let mut near = 0;
    for position in sample(&tables, 151).into_iter().filter(|position| position.ending().is_none()) {
        let depth = 5;
        let score = searched(&Game::new(position), depth, SearchMode::FullWidth, None).lines[0].score;
        let is_won = tables.probe_wdl(&position).ok() == Some(Wdl::Win);
        let exact = distance(&tables, &position);
        let exact_score = exact.map(|plies| if is_won { Score::win(1, plies) } else { Score::loss(1, plies) });
        // Captures are searched beyond the depth, so an end may be seen a little farther away.
        if score.is_decisive() || exact.is_some_and(|plies| plies <= depth) {
            assert_eq!(Some(score), exact_score, "{}", fen::Fen(&position));
            near += 1;
        }
    }
    assert!(near > 50, "{near}");
}

/// Plays a won position out: the winner by searches of depth 1 with tables, the other side by `defend`.
fn plies_to_win(tables: &Arc<Tablebase>, start: Position, mut defend: impl FnMut(&Position) -> usize) -> u32 {
    let winner = tables.probe_value(&start).unwrap().winner().unwrap();
    let mut game = Game::new(start);
    let mut plies = 0;
    while game.outcome_on_board().is_none() {
        let position = *game.position();
        let mv = if position.side() == winner {
            searched(&game, 1, SearchMode::Selective, Some(Arc::clone(tables))).best().unwrap()
        } else {
            let moves = position.legal_moves();
            moves[defend(&position) % moves.len()]
        };
        game.play(mv);
        plies += 1;
    }
    assert_eq!(game.outcome_on_board().and_then(|outcome| outcome.winner()), Some(winner));
    plies
}

#[test]
fn won_positions_are_won_within_the_distance_promised() {
    let tables = three_goats();
    let mut random = 1u64;
    let mut games = 0;
    for position in sample(&tables, 9973) {
        let Some(promised) = distance(&tables, &position) else { continue };
        let by_table = |position: &Position| {
            let longest = |mv: &_| distance(&tables, &position.play(*mv));
            let moves = position.legal_moves();
            (0..moves.len()).max_by_key(|index| longest(&moves[*index])).unwrap()
        };
        assert_eq!(plies_to_win(&tables, position, by_table), promised, "{}", fen::Fen(&position));
        for _ in 0..3 {
            let plies = plies_to_win(&tables, position, |_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) as usize
            });
            assert!(plies <= promised, "{} {plies}", fen::Fen(&position));
        }
        games += 4;
    }
    assert!(games > 100, "{games}");
}

#[test]
fn the_same_bytes_come_of_any_number_of_threads_and_after_an_interruption() {
    let rules = named("baghguti");
    let (one, two) = (Folder::new("one-thread"), Folder::new("two-threads"));
    build(&BuildPlan { threads: 1, ..plan(rules, &one, 2, 1) }, |_| {}).unwrap();
    build(&plan(rules, &two, 2, 1), |_| {}).unwrap();
    let whole = one.contents();
    assert_eq!(whole.len(), 2);
    assert!(whole == two.contents());
    // A killed build leaves whole files, and perhaps the beginning of one under another name.
    fs::remove_file(two.0.join("baghguti-2000.table")).unwrap();
    for draft in ["baghguti-2000.part-1-2", "baghguti-2000.table.part-1-2", "super-0000.table.part-3-4"] {
        fs::write(two.0.join(draft), b"half").unwrap();
    }
    // That of a build that lives stays, and so does what is no draft.
    let living = two.0.join("baghguti-2000.table.part-5-6");
    let held = fs::File::create(&living).unwrap();
    held.lock().unwrap();
    let other = two.0.join("notes.part-1-2");
    fs::write(&other, b"mine").unwrap();
    let kept = fs::metadata(two.0.join("baghguti-0000.table")).unwrap().modified().unwrap();
    let mut solved = Vec::new();
    build(&plan(rules, &two, 2, 1), |progress| {
        if progress.is_finished {
            solved.push(progress.layer.to_string());
        }
    })
    .unwrap();
    assert_eq!(solved, ["2000"]);
    drop(held);
    [living, other].iter().for_each(|path| fs::remove_file(path).unwrap());
    assert!(whole == two.contents());
    assert_eq!(fs::metadata(two.0.join("baghguti-0000.table")).unwrap().modified().unwrap(), kept);
}

#[test]
fn a_killed_build_goes_on() {
    let folder = Folder::new("killed");
    let mut child = Command::new(PROGRAM)
        .args(["tables", "build", "--max-goats", "2", "--herds", "1", "--dir"])
        .arg(&folder.0)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let first = folder.0.join("baghbandi-0000.table");
    while !first.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    build(&plan(named("baghbandi"), &folder, 2, 1), |_| {}).unwrap();
    // What was being written when it was killed stays for an hour; that is another test.
    let mut files = folder.contents();
    files.retain(|(name, _)| name.ends_with(".table"));
    assert!(files == contents(&Tables::with_distances(2).folder()));
}

#[test]
fn any_flipped_byte_is_found_and_never_trusted() {
    let folder = Folder::new("flipped");
    let tables = built(named("baghbandi"), &folder, 1, 0);
    let position = fen::parse(named("baghbandi"), "t4/5/2A2/5/4t w").unwrap();
    assert_eq!(tables.probe_wdl(&position).ok(), Some(Wdl::Loss));
    let path = folder.0.join("baghbandi-0000.table");
    let undamaged = fs::read(&path).unwrap();
    for at in (0..undamaged.len()).step_by(97).chain(0..80).chain([undamaged.len() - 1]) {
        let mut bytes = undamaged.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, bytes).unwrap();
        let tables = Tablebase::open(&folder.0, named("baghbandi")).unwrap();
        let found = match tables.layers().next() {
            None => tables.unusable_layers().len() == 1 && tables.probe(&position).is_err(),
            Some(table) => verify(&tables, table, Some(1), 1).is_err(),
        };
        assert!(found, "byte {at}");
    }
    for length in [0, 1, 63, 64, 100, undamaged.len() - 1] {
        fs::write(&path, &undamaged[..length]).unwrap();
        assert_eq!(
            Tablebase::open(&folder.0, named("baghbandi")).unwrap().unusable_layers().len(),
            1,
            "{length} bytes"
        );
    }
    // Building again mends it, also when it is open.
    let reader = replaces_open_files().then_some(tables);
    let tables = built(named("baghbandi"), &folder, 1, 0);
    drop(reader);
    assert_eq!(tables.probe_wdl(&position).ok(), Some(Wdl::Loss));
    assert!(fs::read(&path).unwrap() == undamaged);
}

#[test]
fn a_damaged_block_gives_no_value_and_the_others_do() {
    let folder = Folder::new("block");
    drop(built(named("baghbandi"), &folder, 2, 0));
    let path = folder.0.join("baghbandi-0000.table");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let tables = Tablebase::open(&folder.0, named("baghbandi")).unwrap();
    let table = tables.layers().next().unwrap();
    let layout = table.layout();
    assert!(2 * layout.numbers() > BLOCK_POSITIONS);
    let position = |row, index, side| layout.position_at(named("baghbandi"), row, index, side).unwrap();
    let (first, last) = (layout.rows()[0], *layout.rows().last().unwrap());
    assert_eq!(distance(&tables, &position(first, 1, Side::White)), Some(20));
    // The last entry of the file has distances: the value is not touched.
    let damaged = position(last, 3 << (layout.slots() - 2), Side::Black);
    assert_eq!(tables.probe_wdl(&damaged).ok(), Some(Wdl::Win));
    assert_eq!(distance(&tables, &damaged), None);
    assert!(verify(&tables, table, None, 1).is_err());
}

#[test]
fn many_threads_may_probe_through_the_smallest_cache() {
    let tables = Tablebase::with_cache(&Tables::with_distances(2).folder(), named("baghbandi"), 0).unwrap();
    let tables = &tables;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for table in tables.layers() {
                    let verified = verify(tables, table, Some(200), 1).unwrap();
                    assert!(verified.checked >= 200 || verified.checked == table.layout().positions_stored());
                    assert_eq!(verified.wrong, 0);
                }
            });
        }
    });
}

#[test]
fn what_is_not_to_be_had_is_refused() {
    let folder = Folder::new("refused");
    let rules = named("baghbandi");
    assert!(matches!(Tablebase::open(&folder.0, rules), Err(OpenError::Nothing(..))));
    assert!(matches!(Tablebase::open(&folder.0.join("none"), rules), Err(OpenError::Folder(..))));
    let small = BuildPlan { memory: 1000, ..plan(rules, &folder, 1, 0) };
    assert!(matches!(build(&small, |_| {}), Err(BuildError::Memory(Layer::FLAT, ..))));
    let tables = built(rules, &folder, 1, 0);
    let full = Layer::new([5; 4]).unwrap();
    assert_eq!(tables.probe(&Position::start(rules)), Err(ProbeError::NoTable(full)));
    let two_goats = fen::parse(rules, "tt3/5/5/5/3AA w").unwrap();
    assert_eq!(tables.probe(&two_goats), Err(ProbeError::TooManyGoats(Layer::FLAT)));
    let other_rules = fen::parse(named("wikipedia"), "tt3/5/5/5/4A w").unwrap();
    assert_eq!(tables.probe(&other_rules), Err(ProbeError::OtherRules));
    // Not every system replaces files that are open.
    drop(tables);
    // A layer by itself needs those that it leads to, and with distances if it is to have them.
    let layer = Layer::new([2, 0, 0, 0]);
    let alone = BuildPlan { layer, goats: 2, ..plan(rules, &folder, 2, 0) };
    assert!(matches!(build(&alone, |_| {}), Err(BuildError::File(..))));
    build(&BuildPlan { distances: false, ..plan(rules, &folder, 2, 0) }, |_| {}).unwrap();
    assert!(matches!(build(&alone, |_| {}), Err(BuildError::File(..))));
    build(&BuildPlan { distances: false, ..alone.clone() }, |_| {}).unwrap();
    assert_eq!(Tablebase::open(&folder.0, rules).unwrap().layers().count(), 2);
}

fn run(folder: &Folder, command: &str, more: &[&str]) -> Output {
    Command::new(PROGRAM).args(["tables", command, "--dir"]).arg(&folder.0).args(more).output().unwrap()
}

#[test]
fn what_a_missing_table_would_say_is_unknown_not_wrong() {
    let folder = Folder::new("unknown");
    for heights in ["0200", "2000"] {
        Tables::with_distances(2).copy(&format!("baghbandi-{heights}.table"), &folder.0);
    }
    let tables = Tablebase::open(&folder.0, named("baghbandi")).unwrap();
    for table in tables.layers() {
        let verified = verify(&tables, table, None, 1).unwrap();
        assert_eq!((verified.wrong, verified.checked > 0 && verified.unknown > 0), (0, true));
    }
    let output = run(&folder, "verify", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("can't be compared"));
}

#[test]
fn a_plan_names_each_layer_after_those_it_needs() {
    let folder = Folder::new("plan");
    let output = run(&folder, "plan", &["--max-goats", "3", "--herds", "1", "--values-only"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let jobs: Vec<&str> = text.lines().filter(|line| line.starts_with("baghbandi-")).collect();
    assert_eq!(
        jobs,
        [
            "baghbandi-0000:",
            "baghbandi-0200: baghbandi-0000",
            "baghbandi-2000: baghbandi-0000",
            "baghbandi-0300: baghbandi-0200",
            "baghbandi-3000: baghbandi-2000"
        ]
    );
    // The commands of the jobs, one after the other, build what one command builds.
    for line in text.lines().filter_map(|line| line.strip_prefix("\t$(SUNDARBAN) ")) {
        let words = line.replace("$(OPTIONS)", "--threads 2").replace('\'', "");
        let output = Command::new(PROGRAM).args(words.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(folder.contents() == contents(&Tables::values_only(3).folder()));
}

#[test]
fn a_pipe_named_like_a_table_is_not_waited_for() {
    if !has_shell() {
        return;
    }
    let folder = Folder::new("pipe");
    drop(built(named("baghbandi"), &folder, 1, 0));
    let path = folder.0.join("baghbandi-2000.table");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(Tablebase::open(&folder.0, named("baghbandi")).unwrap().unusable_layers().len(), 1);
}

#[test]
fn the_commands_do_what_they_say() {
    let folder = Folder::new("commands");
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let output = run(&folder, "build", &["--max-goats", "2", "--herds", "1", "--threads", "2"]);
    assert_eq!(
        (output.status.code(), text(&output).as_str()),
        (Some(0), "3 layers of baghbandi with at most 2 goats\n")
    );
    let progress = String::from_utf8(output.stderr).unwrap();
    assert!(
        progress.lines().last().unwrap().starts_with("3/3 layers, 2000: done; 168408 of 168408 positions"),
        "{progress}"
    );
    let output = run(&folder, "stat", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).starts_with("baghbandi: 3 layers, 168408 positions ("), "{}", text(&output));
    let rows: Vec<Vec<String>> =
        text(&output).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    assert_eq!(rows[2], ["w", "0", "300", "0", "0"]);
    assert_eq!(rows.last().unwrap()[..4], ["b", "2", "Black", "49"]);
    let output = run(&folder, "verify", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).lines().all(|line| line.contains(" positions, 0 wrong")), "{}", text(&output));
    let output = run(&folder, "probe", &["t4/5/2A2/5/4t b"]);
    assert!(text(&output).starts_with("t4/5/2A2/5/4t b 0 1 win in 15\na5a4 win in 17\n"), "{}", text(&output));
    let failures: [(&str, &[&str], i32); 7] = [
        ("probe", &["5/2E1E/1t1t1/2E1E/5 w"], 1),
        ("probe", &["5/5 w"], 2),
        ("build", &["--rules", "chess"], 2),
        ("build", &["--layer", "1000"], 2),
        ("build", &["--max-goats", "21"], 2),
        ("build", &["--max-goats", "1", "--memory", "0"], 2),
        ("stat", &["--rules", "wikipedia"], 1),
    ];
    for (command, more, code) in failures {
        let output = run(&folder, command, more);
        assert_eq!(output.status.code(), Some(code), "{command} {more:?}");
        assert!(!output.stderr.is_empty());
    }
    let path = folder.0.join("baghbandi-0200.table");
    let mut bytes = fs::read(&path).unwrap();
    bytes[30] ^= 4;
    fs::write(&path, bytes).unwrap();
    let output = run(&folder, "verify", &["--sample", "10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("baghbandi-0200.table': damaged"));
}
