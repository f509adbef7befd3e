//! `sundarban suite`: how many positions with known best moves the engine solves, by limit, and how well its static
//! evaluation tells won, drawn and lost positions apart.

use crate::commands::analyser::{AnalyserArgs, PositionAnalyser};
use crate::commands::args::{InputArgs, InputTally, number};
use crate::commands::error::CliError;
use crate::commands::listing::ListingFormat;
use crate::engine::Engine;
use crate::engine::reliability::{Reliability, Tenth};
use crate::engine::suite::{Share, StaticScore, SuiteScore, TestGroup, TestPosition};
use crate::json::{Json, OneLine};
use crate::moves::Move;
use crate::notation::TextError;
use crate::notation::fen::Fen;
use crate::notation::reader::InputItem;
use crate::parallel;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::tablebase::Wdl;
use crate::text::counted;
use clap::Args;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  echo '1A3/5/5/A1Bt1/2A1t w bm a2a1 a2b2 c1b1 c1b2 c2b2;' | sundarban suite --depth 1 --nodes 1000,10000
  printf 'super\\t5/2E1E/1t1t1/2E1E/5 w\\tW\\te4e5 c4c5\\n' | sundarban suite --nodes 500 --misses 100 --format json

A line has a position with 'bm' (best moves) or 'am' (moves to avoid), or columns behind it: its value for the side to
move (W, D or L), the moves that keep it ('-' for none), the number of legal moves. A position is solved if the move
chosen is one of the best and none to avoid; each search begins with an empty transposition table. Positions with a
value and no moves count for the static evaluation only. Without a limit: depth 1, 1000 and 10000 nodes.
What can't be read is told of on standard error; the rest goes on, and the exit code is 1 in the end.";

/// The limits of `suite`: each value is one to score the engine by.
#[derive(Args)]
struct SuiteLimitsArgs {
    /// Score searches of so many plies; here and below several numbers may be given, with commas or option by option
    #[arg(long, value_name = "PLIES", value_delimiter = ',', allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: Vec<u32>,
    /// Score searches of so many nodes
    #[arg(long, value_name = "N", value_delimiter = ',', allow_negative_numbers = true, value_parser = number(1..=u64::MAX))]
    nodes: Vec<u64>,
    /// Score searches of so many milliseconds
    #[arg(long, value_name = "MS", value_delimiter = ',', allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    movetime: Vec<u64>,
}

impl SuiteLimitsArgs {
    fn limits(&self) -> Vec<SuiteLimit> {
        let depths = self.depth.iter().map(|plies| SuiteLimit::Depth(*plies));
        let nodes = self.nodes.iter().map(|nodes| SuiteLimit::Nodes(*nodes));
        let times = self.movetime.iter().map(|milliseconds| SuiteLimit::Time(*milliseconds));
        let limits: Vec<SuiteLimit> = depths.chain(nodes).chain(times).collect();
        match limits.is_empty() {
            true => vec![SuiteLimit::Depth(1), SuiteLimit::Nodes(1_000), SuiteLimit::Nodes(10_000)],
            false => limits,
        }
    }
}

/// What bounds the searches that are scored together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum SuiteLimit {
    /// Plies.
    Depth(u32),
    Nodes(u64),
    /// Milliseconds.
    Time(u64),
}

impl SuiteLimit {
    fn limits(self) -> Limits {
        let none = Limits::default();
        match self {
            Self::Depth(plies) => Limits { depth: Some(plies), ..none },
            Self::Nodes(nodes) => Limits { nodes: Some(nodes), ..none },
            Self::Time(milliseconds) => Limits { move_time: Some(Duration::from_millis(milliseconds)), ..none },
        }
    }

    /// The option that gives it, and its number.
    const fn option(self) -> (&'static str, u64) {
        match self {
            Self::Depth(plies) => ("depth", plies as u64),
            Self::Nodes(nodes) => ("nodes", nodes),
            Self::Time(milliseconds) => ("movetime", milliseconds),
        }
    }
}

/// Options of `suite`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SuiteArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    limits: SuiteLimitsArgs,
    /// Most positions to list for each limit of those that are not solved
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    misses: u64,
    /// Show how often what the chances say comes true, by tenths of the chance
    #[arg(long)]
    reliability: bool,
    #[command(flatten)]
    analyser: AnalyserArgs,
    /// How the scores are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ListingFormat,
}

/// A position, and what was played at each limit; nothing where nothing is asked of the moves.
struct PlayedTest {
    test: TestPosition,
    played: Vec<PlayedMove>,
}

/// The move of a search, and its chances of win, draw and loss for the side to move, in permille.
#[derive(Copy, Clone)]
struct PlayedMove {
    mv: Move,
    permille: [u32; 3],
}

impl PlayedTest {
    fn of(item: InputItem, limits: &[SuiteLimit], analyser: &mut PositionAnalyser) -> Result<Self, TextError> {
        let test = TestPosition::of(item)?;
        let limits = if test.asks_for_move() { limits } else { &[] };
        let play = |limit: &SuiteLimit| {
            let analysed = analyser.analyse(&test.game, &limit.limits())?;
            let best = analysed.result.lines.first().zip(analysed.result.best());
            let played = best.map(|(line, mv)| PlayedMove { mv, permille: line.permille(test.position()) });
            played.ok_or_else(|| "the search has chosen no move".to_owned())
        };
        let played: Result<Vec<PlayedMove>, String> = limits.iter().map(play).collect();
        match played {
            Ok(played) => Ok(Self { test, played }),
            Err(message) => Err(test.place.error(message)),
        }
    }
}

/// What was found at a limit.
struct LimitScore {
    limit: SuiteLimit,
    score: SuiteScore,
    reliability: Reliability,
    /// The first of the positions that were not solved, and the move played there.
    misses: Vec<(TestPosition, Move)>,
}

/// Scores the engine on the positions of the input, and prints the scores.
///
/// # Errors
/// If the options are wrong, something could not be read, there is no position, or the output fails.
pub fn run(args: &SuiteArgs) -> Result<(), CliError> {
    let settings = args.analyser.settings(1)?;
    // What is wrong with the options is said once, not for every position.
    Engine::new(settings.options.clone())?.threads_note().iter().for_each(|note| log::warn!("{note}"));
    let limits = args.limits.limits();
    let new = |limit: &SuiteLimit| LimitScore {
        limit: *limit,
        score: SuiteScore::default(),
        reliability: Reliability::default(),
        misses: Vec::new(),
    };
    let mut scores: Vec<LimitScore> = limits.iter().map(new).collect();
    let mut evaluation = StaticScore::default();
    let (mut tally, mut positions) = (InputTally::default(), 0u64);
    let job = move || {
        let (mut analyser, limits) = (PositionAnalyser::new(settings.clone()), limits.clone());
        move |item: Result<InputItem, TextError>| item.and_then(|item| PlayedTest::of(item, &limits, &mut analyser))
    };
    parallel::map_in_order(args.analyser.jobs(), args.input.items(), job, |ready| {
        for done in ready {
            tally.count(done.is_err());
            match done {
                Ok(done) => {
                    positions += 1;
                    evaluation.count(&done.test);
                    count(&mut scores, done, args.misses);
                }
                // If standard error is closed, the exit code has to do.
                Err(fault) => drop(writeln!(io::stderr(), "{fault}")),
            }
        }
        Ok(())
    })?;
    let text = match args.format {
        ListingFormat::Text => text(positions, &evaluation, &scores, args.reliability),
        ListingFormat::Json => json_lines(&evaluation, &scores, args.reliability),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    tally.conclude()?;
    if positions > 0 { Ok(()) } else { Err(CliError::Work("found no position, expected at least one".to_owned())) }
}

fn count(scores: &mut [LimitScore], done: PlayedTest, most_misses: u64) {
    let PlayedTest { test, played } = done;
    for (score, PlayedMove { mv, permille }) in scores.iter_mut().zip(played) {
        let is_solved = test.is_solved_by(mv);
        test.value.iter().for_each(|value| score.reliability.count(permille, *value));
        score.score.count(&test, is_solved);
        if !is_solved && (score.misses.len() as u64) < most_misses {
            score.misses.push((test.clone(), mv));
        }
    }
}

/// All scores, a line for each, with the misses behind those they belong to.
fn text(positions: u64, evaluation: &StaticScore, scores: &[LimitScore], with_reliability: bool) -> String {
    let table =
        |reliability: &Reliability| if with_reliability { reliability_text(reliability) } else { String::new() };
    let mut text = format!("{}\n", counted(positions, "position"));
    let told = evaluation.likeliest.total();
    if told.all > 0 {
        let (groups, divided) = (group_texts(&evaluation.likeliest), evaluation.divided());
        text += &format!("static evaluation: {} with the right value{groups}\n", share_text(told));
        text += &format!("static evaluation: {} told apart by the best bounds\n", share_text(divided));
        text += &table(&evaluation.reliability);
    }
    for score in scores.iter().filter(|score| score.score.total().all > 0) {
        let (option, number) = score.limit.option();
        let total = score.score.total();
        text += &format!("{option} {number}: {} solved{}\n", share_text(total), group_texts(&score.score));
        text += &table(&score.reliability);
        for (test, played) in &score.misses {
            text += &miss_text(test, *played);
        }
        let unsaid = (total.all - total.right).saturating_sub(score.misses.len() as u64);
        if unsaid > 0 && !score.misses.is_empty() {
            text += &format!("  and {unsaid} more that --misses would list\n");
        }
    }
    text
}

/// The statements of win, draw and loss by tenths of their chance.
fn reliability_text(reliability: &Reliability) -> String {
    let mut text = String::new();
    for tenth in reliability.tenths() {
        if let (Some(said), Some(came)) = (tenth.mean_said(), tenth.part_true()) {
            // Writing to a string can't fail.
            let _ =
                writeln!(text, "  said {:5.1} %, came true {:5.1} % of {}", 100.0 * said, 100.0 * came, tenth.count);
        }
    }
    text
}

fn reliability_json(reliability: &Reliability) -> Json {
    let tenth = |tenth: &Tenth| {
        Json::object([
            ("statements", Json::Count(tenth.count)),
            ("said", Json::optional_number(tenth.mean_said())),
            ("came", Json::optional_number(tenth.part_true())),
        ])
    };
    Json::List(reliability.tenths().iter().map(tenth).collect())
}

/// How many of how many, and the part in percent.
fn share_text(share: Share) -> String {
    let part = share.part().map_or(String::new(), |part| format!(" ({:.2} %)", 100.0 * part));
    format!("{} of {}{part}", share.right, share.all)
}

/// What the values and rules of more than one group come to.
fn group_texts(score: &SuiteScore) -> String {
    let groups: Vec<(TestGroup, Share)> = score.groups().collect();
    let has_rules = groups.iter().any(|((rules, _), _)| groups.first().is_some_and(|((first, _), _)| rules != first));
    if groups.len() < 2 {
        return String::new();
    }
    let name = |(rules, value): TestGroup| {
        let value = value.map_or("no value given".to_owned(), |value| value.to_string());
        if has_rules { format!("{rules} {value}") } else { value }
    };
    let texts = groups.into_iter().map(|(group, share)| format!("{} {}", name(group), share_text(share)));
    format!("; {}", texts.collect::<Vec<_>>().join(", "))
}

fn miss_text(test: &TestPosition, played: Move) -> String {
    let position = test.position();
    let mut text = format!("  {}: {} {}", test.place, position.rules().name, Fen(position));
    // Writing to a string can't fail.
    let _ = write!(text, " played {played}");
    for (name, moves) in [("best", &test.best), ("avoid", &test.avoid)] {
        if !moves.is_empty() {
            let _ = write!(text, " {name} {}", words(moves));
        }
    }
    if let Some(value) = test.value {
        let _ = write!(text, " value {value}");
    }
    if let Some(id) = &test.id {
        let _ = write!(text, " id {}", id.escape_debug());
    }
    text + "\n"
}

fn words(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// All scores, a JSON object on each line.
fn json_lines(evaluation: &StaticScore, scores: &[LimitScore], with_reliability: bool) -> String {
    let table =
        |reliability: &Reliability| with_reliability.then(|| ("reliability".to_owned(), reliability_json(reliability)));
    let mut lines = Vec::new();
    if evaluation.likeliest.total().all > 0 {
        let mut members = score_members("static", None, &evaluation.likeliest);
        members.push(("divided".to_owned(), Json::Count(evaluation.divided().right)));
        members.extend(table(&evaluation.reliability));
        lines.push(members);
    }
    for score in scores.iter().filter(|score| score.score.total().all > 0) {
        let (option, number) = score.limit.option();
        let mut members = score_members(option, Some(number), &score.score);
        let misses = score.misses.iter().map(|(test, played)| miss_object(test, *played));
        members.push(("misses".to_owned(), Json::List(misses.collect())));
        members.extend(table(&score.reliability));
        lines.push(members);
    }
    lines.into_iter().map(|members| format!("{}\n", OneLine(&Json::Object(members)))).collect()
}

fn score_members(limit: &str, number: Option<u64>, score: &SuiteScore) -> Vec<(String, Json)> {
    let groups = score.groups().map(|((rules, value), share)| {
        let mut members = vec![("rules".to_owned(), Json::text(rules)), ("value".to_owned(), value_json(value))];
        members.extend(share_members(share));
        Json::Object(members)
    });
    let mut members =
        vec![("limit".to_owned(), Json::text(limit)), ("number".to_owned(), number.map_or(Json::Null, Json::Count))];
    members.extend(share_members(score.total()));
    members.push(("groups".to_owned(), Json::List(groups.collect())));
    members
}

fn share_members(share: Share) -> [(String, Json); 3] {
    [
        ("positions".to_owned(), Json::Count(share.all)),
        ("right".to_owned(), Json::Count(share.right)),
        ("share".to_owned(), Json::optional_number(share.part())),
    ]
}

fn value_json(value: Option<Wdl>) -> Json {
    Json::optional_text(value.map(|value| value.to_string()))
}

fn miss_object(test: &TestPosition, played: Move) -> Json {
    let position = test.position();
    let list = |moves: &[Move]| Json::List(moves.iter().map(|mv| Json::text(mv.to_string())).collect());
    Json::object([
        ("file", Json::text(&*test.place.file)),
        ("line", Json::Count(test.place.line as u64)),
        ("rules", Json::text(position.rules().name)),
        ("position", Json::text(Fen(position).to_string())),
        ("id", Json::optional_text(test.id.clone())),
        ("value", value_json(test.value)),
        ("played", Json::text(played.to_string())),
        ("best", list(&test.best)),
        ("avoid", list(&test.avoid)),
    ])
}
