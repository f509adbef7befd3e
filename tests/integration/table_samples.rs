//! `tables sample`: labels, shares, exclusions, formats, damage.

use crate::driver::{Tables, empty_folder, output, run};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use sundarban::notation::{coordinates, fen};
use sundarban::position::Position;
use sundarban::rules::{RuleSet, Side};
use sundarban::symmetry::Symmetry;
use sundarban::tablebase::layer::Layer;
use sundarban::tablebase::sample::exclusion::image;
use sundarban::tablebase::sample::record::SampleReader;
use sundarban::tablebase::{Tablebase, Wdl};

/// An empty folder for a test.
fn scratch(name: &str) -> PathBuf {
    empty_folder(&format!("table-samples-{name}"))
}

fn sample(dir: &Path, more: &[&str]) -> Output {
    run(&[&["tables", "sample", "--dir", dir.to_str().unwrap()], more].concat(), "")
}

/// The lines of a sample, split into columns.
fn rows(dir: &Path, more: &[&str]) -> Vec<Vec<String>> {
    let sampled = sample(dir, more);
    assert!(sampled.status.success(), "{more:?}: {}", String::from_utf8_lossy(&sampled.stderr));
    let text = String::from_utf8(sampled.stdout).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn position(row: &[String]) -> Position {
    fen::parse(RuleSet::named(&row[0]).unwrap(), &row[1]).unwrap()
}

fn letter(wdl: Wdl) -> &'static str {
    match wdl {
        Wdl::Win => "W",
        Wdl::Draw => "D",
        Wdl::Loss => "L",
    }
}

#[test]
fn labels_are_those_of_a_probe() {
    for (rules, by) in [("baghguti", "positions"), ("moderno", "goats"), ("super", "layers"), ("baghbandi", "games")] {
        let dir = Tables { rules, ..Tables::with_distances(3) }.folder();
        let base = Tablebase::open(&dir, RuleSet::named(rules).unwrap()).unwrap();
        let rows = rows(&dir, &["--rules", rules, "--count", "400", "--by", by, "--moves", "--threads", "2"]);
        assert!(rows.len() > 300, "{rules}: {}", rows.len());
        for row in &rows {
            let position = position(row);
            let probe = base.probe(&position).unwrap();
            assert_eq!(row[2], letter(probe.value.wdl(position.side())), "{row:?}");
            let mut best: Vec<String> = position
                .legal_moves()
                .into_iter()
                .filter(|mv| base.probe_value(&position.play(*mv)).unwrap() == probe.value)
                .map(|mv| mv.to_string())
                .collect();
            let mut found: Vec<String> = row[3].split(' ').map(str::to_owned).collect();
            best.sort();
            found.sort();
            assert_eq!(found, best, "{row:?}");
            assert_eq!(row[4], position.legal_moves().len().to_string(), "{row:?}");
            assert_eq!(row[5], probe.value.points(position.rules()).to_string(), "{row:?}");
            assert_eq!(row[6], probe.plies.map_or("-".to_owned(), |plies| plies.to_string()), "{row:?}");
        }
        let kinds: Vec<usize> =
            ["W", "D", "L"].iter().map(|kind| rows.iter().filter(|row| row[2] == *kind).count()).collect();
        assert!(kinds.iter().all(|count| *count > 0), "{rules}: {kinds:?}");
    }
}

/// The first of a position's images, by text, and their number.
fn orbit(position: &Position) -> (String, usize) {
    let images = Symmetry::all().filter_map(|symmetry| image(position, position.rules(), symmetry));
    let mut texts: Vec<String> = images.map(|image| fen::Fen(&image).to_string()).collect();
    texts.sort();
    texts.dedup();
    (texts[0].clone(), texts.len())
}

#[test]
fn every_position_is_as_likely_as_any_other() {
    let dir = Tables::values_only(2).folder();
    // As many as there are: two tigers, and one or two goats alone, or a herd of two on one of its four points.
    let all = 2 * (300 * (23 + 253) + 4 * 276);
    let rows = rows(&dir, &["--count", &all.to_string()]);
    assert_eq!(rows.len(), all);
    let mut found: HashMap<String, usize> = HashMap::new();
    for row in &rows {
        *found.entry(orbit(&position(row)).0).or_default() += 1;
    }
    for row in &rows {
        let (first, images) = orbit(&position(row));
        assert_eq!(found[&first], images, "{row:?}");
    }
    // And every image has its turn: of the 16,560 positions with one goat no two in five of the draws are alike.
    let few: BTreeMap<&String, usize> = rows
        .iter()
        .filter(|row| position(row).goats().len() == 1 && position(row).goats_below() == 0)
        .fold(BTreeMap::new(), |mut counts, row| {
            *counts.entry(&row[1]).or_default() += 1;
            counts
        });
    assert!(few.len() > 13_800 * 55 / 100 && few.values().all(|count| *count < 10), "{}", few.len());
    let more = sample(&dir, &["--count", &u64::MAX.to_string()]);
    let note = String::from_utf8(more.stderr).unwrap();
    let missing = format!("{all} positions written, {} wanted and not there in ", u64::MAX - all as u64);
    assert!(more.status.success() && note.contains(&missing), "{note}");
}

#[test]
fn shares_and_filters_hold() {
    let dir = Tables::values_only(3).folder();
    let count = |rows: &[Vec<String>], of: &dyn Fn(&Position) -> String| {
        rows.iter().fold(BTreeMap::<String, usize>::new(), |mut counts, row| {
            *counts.entry(of(&position(row))).or_default() += 1;
            counts
        })
    };
    let goats = count(&rows(&dir, &["--count", "300", "--by", "goats"]), &|it| it.goats_alive().to_string());
    assert!(goats.len() == 3 && goats.values().all(|count| *count == 100), "{goats:?}");
    let height = |it: &Position| it.goats().into_iter().map(|point| it.height(point)).max().unwrap().to_string();
    let layers = count(&rows(&dir, &["--count", "400", "--by", "layers"]), &height);
    assert_eq!(
        layers.into_values().collect::<Vec<_>>(),
        [80, 160, 160],
        "a table for layers without a herd, two for each height"
    );
    let even = count(&rows(&dir, &["--count", "400"]), &|it| it.goats_alive().to_string());
    assert!(even["3"] > 300, "{even:?}");
    for by in ["positions", "layers", "goats", "games"] {
        let filters = ["--goats", "2-3", "--side", "b", "--layer", "0300", "--layer", "0000"];
        let rows = rows(&dir, &[&["--count", "200", "--by", by][..], &filters].concat());
        assert_eq!(rows.len(), 200, "{by}");
        for position in rows.iter().map(|row| position(row)) {
            let heights = Layer::of(&position).heights();
            assert!((2..=3).contains(&position.goats_alive()) && position.side() == Side::Black);
            assert!(heights.iter().all(|height| [0, 3].contains(height)), "{heights:?}");
        }
    }
    let critical = rows(&dir, &["--count", "3000", "--critical"]);
    assert!((100..2_500).contains(&critical.len()), "{}", critical.len());
    for row in &critical {
        let position = position(row);
        let best: Vec<&str> = row[3].split(' ').collect();
        assert!(best.len() < position.legal_moves().len(), "{row:?}");
        assert!(best.iter().all(|word| coordinates::parse(&position, word).is_ok()));
    }
    // What is written is a test suite.
    let text: String = critical.iter().map(|row| row.join("\t") + "\n").collect();
    let scores = output(&["suite", "--depth", "1", "--misses", "0"], &text);
    assert!(scores.starts_with(&format!("{} positions\n", critical.len())), "{scores}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_threads() {
    let (folder, dir) = (scratch("threads"), Tables::with_distances(3).folder());
    for by in ["positions", "layers", "goats", "games"] {
        let bytes = |seed: &str, threads: &str, format: &str| {
            let file = folder.join("sample");
            let count = if by == "games" { "400" } else { "10000" };
            let words = ["--count", count, "--by", by, "--seed", seed, "--threads", threads, "--format", format];
            let sampled = sample(&dir, &[&words[..], &["--output", file.to_str().unwrap()]].concat());
            assert!(sampled.status.success() && sampled.stdout.is_empty());
            fs::read(&file).unwrap()
        };
        let [text, binary] = ["text", "binary"].map(|format| {
            let first = bytes("7", "1", format);
            assert_eq!(bytes("7", "2", format), first, "{by}");
            assert_eq!(bytes("7", "5", format), first, "{by}");
            assert_ne!(bytes("8", "2", format), first, "{by}");
            first
        });
        // Both forms hold the same.
        let text = String::from_utf8(text).unwrap();
        let reader = SampleReader::new(binary.as_slice()).unwrap();
        let rules = reader.rules();
        let mut records = reader.map(Result::unwrap);
        for line in text.lines() {
            let row: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let record = records.next().unwrap();
            let position = record.position(rules).unwrap();
            assert_eq!(fen::Fen(&position).to_string(), row[1]);
            assert_eq!(letter(record.value().wdl(position.side())), row[2]);
            assert_eq!(record.plies().map_or("-".to_owned(), |plies| plies.to_string()), row[6]);
        }
        assert!(records.next().is_none());
    }
}

#[test]
fn excluded_positions_and_their_images_are_left_out() {
    let (folder, dir) = (scratch("exclusion"), Tables::values_only(3).folder());
    for (by, count) in [("positions", 2_000), ("games", 500)] {
        let number = count.to_string();
        let words = ["--count", &number, "--by", by, "--seed", "3"];
        let whole = rows(&dir, &words);
        // Every second one is kept out, turned by some symmetry, and by the text of another rule set with the same board.
        let excluded: String = whole
            .iter()
            .step_by(2)
            .enumerate()
            .map(|(number, row)| {
                let position = position(row);
                let images: Vec<Position> =
                    Symmetry::all().filter_map(|symmetry| image(&position, position.rules(), symmetry)).collect();
                format!("super\t{}\tx\n", fen::Fen(&images[number % images.len()]))
            })
            .collect();
        let file = folder.join("excluded.tsv");
        fs::write(&file, &excluded).unwrap();
        let out: Vec<String> = whole.iter().step_by(2).map(|row| orbit(&position(row)).0).collect();
        let is_out = |row: &Vec<String>| out.contains(&orbit(&position(row)).0);
        let rest = rows(&dir, &[&words[..], &["--exclude", file.to_str().unwrap()]].concat());
        assert!(!rest.is_empty() && !rest.iter().any(is_out), "{by}");
        let expected: Vec<Vec<String>> = whole.iter().filter(|row| !is_out(row)).cloned().collect();
        if by == "positions" {
            assert_eq!(rest, expected);
        } else {
            // Others take the place of what is left out.
            assert_eq!((rest.len(), &rest[..expected.len()]), (count, &expected[..]));
        }
    }
    let missing = sample(&dir, &["--count", "1", "--exclude", "/nowhere"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert!(missing.status.code() == Some(1) && error.starts_with("error: --exclude: /nowhere: "), "{error}");
}

#[test]
fn children_are_the_positions_after_all_moves() {
    let dir = Tables::values_only(3).folder();
    let base = Tablebase::open(&dir, RuleSet::standard()).unwrap();
    let words = ["--count", "60", "--seed", "5"];
    let texts = |rows: &[Vec<String>]| rows.iter().map(|row| row[1].clone()).collect::<Vec<_>>();
    for more in [&[][..], &["--critical"]] {
        let parents = rows(&dir, &[&words[..], more].concat());
        let children = rows(&dir, &[&words[..], more, &["--children"]].concat());
        let after: Vec<Position> = parents
            .iter()
            .flat_map(|row| {
                let parent = position(row);
                parent.legal_moves().into_iter().map(move |mv| parent.play(mv).without_counters())
            })
            .filter(|child| child.ending().is_none())
            .collect();
        let expected: Vec<String> = after.iter().map(|child| fen::Fen(child).to_string()).collect();
        assert!(!expected.is_empty());
        assert_eq!(texts(&children), expected, "{more:?}");
        for (row, child) in children.iter().zip(&after) {
            assert_eq!(row[2], letter(base.probe_wdl(child).unwrap()), "{row:?}");
        }
    }
}

#[test]
fn a_damaged_table_is_named_and_nothing_is_written() {
    let folder = scratch("damage");
    let dir = folder.join("tables");
    fs::create_dir(&dir).unwrap();
    Tables::with_distances(3).copy("baghbandi-0000.table", &dir);
    let (table, file) = (dir.join("baghbandi-0000.table"), folder.join("sample.tsv"));
    let whole = fs::read(&table).unwrap();
    for at in [whole.len() / 2, 20] {
        let mut bytes = whole.clone();
        // Of the blocks that are drawn of one at least.
        bytes.iter_mut().skip(at).step_by(97).for_each(|byte| *byte ^= 1);
        fs::write(&table, &bytes).unwrap();
        for more in [&[][..], &["--format", "binary"], &["--by", "games"], &["--critical"]] {
            let count = if more.contains(&"games") { "300" } else { "20000" };
            let words = ["--count", count, "--output", file.to_str().unwrap()];
            let sampled = sample(&dir, &[&words[..], more].concat());
            let error = String::from_utf8(sampled.stderr).unwrap();
            assert!(sampled.status.code() == Some(1) && error.contains("0000"), "{at} {more:?}: {error}");
            assert!(!file.exists(), "{at} {more:?}");
        }
    }
}

#[test]
fn senseless_options_are_refused() {
    let folder = scratch("options");
    let dir = folder.join("tables");
    let build = ["tables", "build", "--max-goats", "1", "--herds", "0", "--dir", dir.to_str().unwrap()];
    assert!(run(&build, "").status.success());
    for more in [
        &["--count", "-1"][..],
        &[],
        &["--count", "1", "--goats", "4-3"],
        &["--count", "1", "--goats", "3-21"],
        &["--count", "1", "--layer", "1000"],
        &["--count", "1", "--by", "luck"],
        &["--count", "1", "--cache", "0"],
        &["--count", "1", "--threads", "0"],
    ] {
        let sampled = sample(&dir, more);
        assert_eq!((sampled.status.code(), sampled.stdout.len()), (Some(2), 0), "{more:?}");
    }
    for (more, fault) in [
        (&["--count", "1", "--goats", "9"][..], "no table has such positions"),
        (&["--count", "1", "--layer", "5000"], "no table has such positions"),
        (&["--count", "1", "--by", "games", "--goats", "9"], "no table has such positions"),
        (&["--count", "1", "--rules", "super"], "no tables of super"),
    ] {
        let sampled = sample(&dir, more);
        let error = String::from_utf8(sampled.stderr).unwrap();
        assert!(sampled.status.code() == Some(1) && error.contains(fault), "{more:?}: {error}");
    }
    // With one goat every move loses: nothing is critical, and the file is there and empty.
    let file = folder.join("none.tsv");
    let none = sample(&dir, &["--count", "50", "--critical", "--output", file.to_str().unwrap()]);
    assert!(none.status.success() && fs::read(&file).unwrap().is_empty());
    assert_eq!(rows(&dir, &["--count", "0"]).len() + rows(&dir, &["--count", "0", "--by", "games"]).len(), 0);
}
