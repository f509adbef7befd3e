//! `sundarban match`: its options, and the search that judges generated openings.

use crate::commands::error::CliError;
use crate::commands::match_settings::{
    parse_draw, parse_engines, parse_openings, parse_resign, parse_sprt, parse_tables_ends,
};
use crate::eval::evaluate;
use crate::files;
use crate::game::{DrawPlies, Game};
use crate::platform;
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use crate::search::control::Control;
use crate::search::limits::Limits;
use crate::search::score::ScoreKind;
use crate::search::tt::TranspositionTable;
use crate::search::{SearchSettings, search};
use crate::text::{self, number, quoted_path};
use crate::tournament::adjudication::{AdjudicationRules, TableRule};
use crate::tournament::interrupt::{self, InterruptFlag};
use crate::tournament::merge::MergeRequest;
use crate::tournament::opening::OpeningJudge;
use crate::tournament::process::Watchdog;
use crate::tournament::schedule::TournamentFormat;
use crate::tournament::settings::{MatchSettings, OpeningSettings};
use crate::tournament::sprt::Sprt;
use crate::tournament::{MatchError, merge, process, runner};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  sundarban match --engine name=new cmd=./sundarban --engine name=old cmd=./sundarban-1.0 \\
      --each tc=8+0.08 option.Hash=16 --rounds 500 --concurrency 4 --record games.txt --resume match.journal
  sundarban match --engine name=2x cmd=sundarban nodes=4000 --engine name=1x cmd=sundarban nodes=2000 \\
      --rounds 5000 --sprt elo0=0 elo1=10 --rules baghbandi super --concurrency 2
  sundarban match --engine name=far cmd='ssh -o BatchMode=yes host sundarban' tc=10+0.1 \\
      --engine name=near cmd=sundarban tc=10+0.1
  sundarban match --merge monday.txt tuesday.txt

A round is a pair of games of each pairing, from one opening, with the sides swapped. Without --openings and
--random-plies the openings are positions after random plies that a short search finds on the edge between a draw and
a win of White.";

/// Play a tournament between engines that speak the session protocol (UCI or UGI)
#[derive(Parser, Clone, Debug)]
#[command(name = "sundarban match", after_help = EXAMPLES, args_override_self = true)]
pub struct MatchArgs {
    #[command(flatten)]
    engines: EngineGroups,
    /// Keys and values for all engines that don't have them themselves
    #[arg(long, value_name = "KEY=VALUE", num_args(1..))]
    each: Vec<String>,
    /// Who meets whom
    #[arg(long, value_enum, default_value_t = Tournament::RoundRobin)]
    tournament: Tournament,
    /// In a gauntlet, how many of the first engines meet all others [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Rounds: pairs of games of each pairing
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: u64,
    /// Rule sets, which take turns from round to round
    #[arg(long, value_name = "NAME", num_args(1..), action = ArgAction::Set, default_value = "baghbandi", value_parser = RuleSet::parse)]
    rules: Vec<&'static RuleSet>,
    /// Openings from a file: FILE [order=sequential|random] [seed=N] [plies=N] [start=N]
    #[arg(long, value_name = "FILE", num_args(1..), action = ArgAction::Set, conflicts_with = "random_plies")]
    openings: Option<Vec<String>>,
    /// Openings of exactly so many random plies, as even as can be found; 0 for the usual start
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=200))]
    random_plies: Option<u32>,
    /// Seed of all that is random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Call a game of so many moves a draw
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Folder of solved tables, or several as in PATH, by which generated openings are judged and games end
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// What --tables are for [default: both]
    #[arg(long, value_enum, value_name = "PURPOSE", num_args(1..), action = ArgAction::Set, requires = "tables")]
    tables_for: Vec<TablesPurpose>,
    /// When games end by --tables: after N plies of the engines with one value that nothing played in the next so many
    /// plies could have changed: plies=N safe=PLIES [default: plies=8 safe=2]
    #[arg(long, value_name = "KEY=VALUE", num_args(1..), action = ArgAction::Set, requires = "tables")]
    tables_ends: Option<Vec<String>>,
    /// Quiet plies that make a draw; 0 for none
    #[arg(long, value_name = "PLIES", default_value_t = DrawPlies::default().get(),
        value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_QUIET_PLIES)))]
    draw_plies: u32,
    /// Call a game a draw: movenumber=N movecount=N score=CENTIGOATS
    #[arg(long, value_name = "KEY=VALUE", num_args(1..), action = ArgAction::Set)]
    draw: Option<Vec<String>>,
    /// Give a game up for an engine: movecount=N score=CENTIGOATS [twosided=true]
    #[arg(long, value_name = "KEY=VALUE", num_args(1..), action = ArgAction::Set)]
    resign: Option<Vec<String>>,
    /// Stop when a sequential test decides: elo0=X elo1=X [alpha=0.05] [beta=0.05] [model=normalized|logistic]
    #[arg(long, value_name = "KEY=VALUE", num_args(1..), action = ArgAction::Set)]
    sprt: Option<Vec<String>>,
    /// Seconds that an engine may take to start, to be ready, or to answer after its time is up, before it is killed;
    /// thirty times as long for a search without a clock
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_patience)]
    patience: f64,
    /// Play even if an engine does not get ready, which loses its games, or does not announce an option that it is given
    #[arg(long)]
    lenient: bool,
    /// Append the games to this file, pair by pair
    #[arg(long, visible_alias = "pgn", value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep a journal in this file, and go on from it if it is there
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Read more options from this file, as on the command line, '#' for comments; the command line has the last word
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    config: Vec<PathBuf>,
    /// Play nothing; count the games of record files together
    #[arg(long, value_name = "FILE", num_args(1..), action = ArgAction::Set)]
    merge: Option<Vec<PathBuf>>,
    /// Pairs of games between standings; 0 for one at the end only
    #[arg(long, value_name = "PAIRS", default_value_t = 10)]
    interval: u64,
    /// Print the last standing only
    #[arg(long)]
    quiet: bool,
    /// Watch over the engines of another process of this program
    #[arg(long, hide = true)]
    guard: bool,
    /// File by which the parent of this process tells of interruptions
    #[arg(long, hide = true, value_name = "FILE")]
    control: Option<PathBuf>,
}

/// Plays a match, merges record files, or runs the watchdog of another match.
///
/// # Errors
/// Says what is wrong with the options or a file, or what failed.
pub fn run(args: MatchArgs) -> Result<(), CliError> {
    let control = args.control.clone();
    match args.command()? {
        MatchCommand::Watchdog => {
            process::run_watchdog(io::stdin().lock());
            Ok(())
        }
        MatchCommand::Merge(request) => Ok(merge::run(&request)?),
        MatchCommand::Play(settings) => {
            let program = std::env::current_exe()?;
            let interrupt = match control {
                Some(pipe) => interrupt::listen(&pipe)?,
                None => {
                    platform::supervise(|pipe| supervised_command(&program, pipe));
                    InterruptFlag::default()
                }
            };
            let mut watchdog = Command::new(program);
            watchdog.args(["match", "--guard"]);
            Ok(runner::run(&settings, Watchdog::start(watchdog), &interrupt)?)
        }
    }
}

/// This process's command line, for a process that listens to this one as its parent.
fn supervised_command(program: &Path, pipe: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let at = words.iter().position(|word| word == "match").map_or(words.len(), |at| at + 1);
    words.splice(at..at, ["--control".into(), pipe.into()]);
    words.insert(0, program.into());
    words
}

/// Generated openings are judged by our own evaluation and by a short search, the same one on every machine.
const JUDGE: OpeningJudge = OpeningJudge { evaluate, search: search_opening };
/// Nodes of the search.
const JUDGE_NODES: u64 = 20_000;
/// Size of its transposition table, in megabytes.
const JUDGE_HASH: usize = 1;

fn search_opening(game: &Game) -> Option<i32> {
    let table = TranspositionTable::new(JUDGE_HASH);
    let limits = Limits { nodes: Some(JUDGE_NODES), ..Limits::default() };
    let result = search(game, &limits, &SearchSettings::default(), &table, &Control::default(), |_| {});
    match result.lines.first()?.score.kind() {
        ScoreKind::Evaluation(score) => Some(score),
        _ => None,
    }
}

/// The values of `--tournament`.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Tournament {
    RoundRobin,
    Gauntlet,
}

/// The values of `--tables-for`.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum TablesPurpose {
    /// Judge generated openings.
    Openings,
    /// End games.
    Ends,
}

/// The values of each `--engine` apart, which clap's derived options can't do.
#[derive(Clone, Debug, Default)]
struct EngineGroups(Vec<Vec<String>>);

impl FromArgMatches for EngineGroups {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine").into_iter().flatten();
        Ok(Self(groups.map(|group| group.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for EngineGroups {
    fn augment_args(command: clap::Command) -> clap::Command {
        let help = "An engine: cmd=PROGRAM [name=NAME] [args=WORDS] [dir=FOLDER] [proto=uci|ugi] [tc=[MOVES/]TIME[+INC]] \
            [st=SECONDS] [nodes=N] [depth=PLIES] [timemargin=MS] [option.NAME=VALUE]; once for each engine";
        command.arg(
            Arg::new("engine")
                .long("engine")
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help(help),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

fn parse_patience(text: &str) -> Result<f64, String> {
    number("patience", text, 0.01, 1e6)
}

/// The command that the options make.
enum MatchCommand {
    /// Watch over the engines of the process that has started this one.
    Watchdog,
    /// Count the games of record files together.
    Merge(MergeRequest),
    /// Play a match.
    Play(Box<MatchSettings>),
}

impl MatchArgs {
    /// The command, with the options of the configuration file.
    ///
    /// # Errors
    /// Says which option is wrong, what was found and what is expected.
    fn command(self) -> Result<MatchCommand, MatchError> {
        let args = match self.config.as_slice() {
            [] => self,
            [path] => self.with_config(path).map_err(|why| named_config(path, &why))?,
            several => {
                let found = format!("--config: found {} of them, expected one", several.len());
                return Err(MatchError::Settings(found));
            }
        };
        if args.guard {
            return Ok(MatchCommand::Watchdog);
        }
        args.check_files().map_err(MatchError::Settings)?;
        let sprt = parse_sprt(args.sprt.as_deref().unwrap_or_default())
            .map_err(|why| MatchError::Settings(format!("--sprt: {why}")))?;
        if let Some(option) = args.merge.as_ref().and(args.option_of_play()) {
            return Err(MatchError::Settings(format!(
                "--merge: found {option} beside it, expected no games to be played"
            )));
        }
        if let Some(files) = args.merge {
            let [rules] = args.rules.as_slice() else {
                let found =
                    format!("--merge: found {} of --rules, expected one, for games that name none", args.rules.len());
                return Err(MatchError::Settings(found));
            };
            return Ok(MatchCommand::Merge(MergeRequest { files, rules, sprt, record: args.record, json: args.json }));
        }
        args.settings(sprt).map(|settings| MatchCommand::Play(Box::new(settings))).map_err(MatchError::Settings)
    }

    /// The first of the given options that `--merge` can't use.
    fn option_of_play(&self) -> Option<&'static str> {
        let given = [
            ("--engine", !self.engines.0.is_empty()),
            ("--each", !self.each.is_empty()),
            ("--seeds", self.seeds.is_some()),
            ("--openings", self.openings.is_some()),
            ("--random-plies", self.random_plies.is_some()),
            ("--max-moves", self.max_moves.is_some()),
            ("--tables", self.tables.is_some()),
            ("--draw", self.draw.is_some()),
            ("--resign", self.resign.is_some()),
            ("--resume", self.resume.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// Refuses one file for two options: one would destroy what the other needs.
    fn check_files(&self) -> Result<(), String> {
        let openings = self.openings.as_deref().and_then(<[String]>::first).map(Path::new);
        let one = [
            ("--openings", openings),
            ("--record", self.record.as_deref()),
            ("--json", self.json.as_deref()),
            ("--resume", self.resume.as_deref()),
            ("--config", self.config.first().map(PathBuf::as_path)),
        ];
        let one: Vec<(&str, &Path)> = one.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
        let merged = self.merge.iter().flatten().map(|path| vec![("--merge", path.as_path())]);
        // Files that are merged may not be written; merging itself checks that none is given twice.
        for mut files in std::iter::once(Vec::new()).chain(merged) {
            files.extend(one.iter().copied());
            if let Some((first, second)) = files::same(&files) {
                return Err(format!("found one file for {first} and {second}, expected two"));
            }
        }
        Ok(())
    }

    /// The number of `-v` in the configuration file.
    ///
    /// 0 for a file that can't be read; [`MatchArgs::command`] reports it.
    pub fn configured_verbosity(&self) -> u8 {
        let words = self.config.first().and_then(|path| config_words(path).ok()).unwrap_or_default();
        let count = |word: &String| match word.strip_prefix('-') {
            Some("-verbose") => 1,
            Some(letters) if is_verbosity(word) => u8::try_from(letters.len()).unwrap_or(u8::MAX),
            _ => 0,
        };
        words.iter().map(count).fold(0, u8::saturating_add)
    }

    /// The options of a file with those of the command line after them.
    fn with_config(&self, path: &Path) -> Result<Self, String> {
        let words = config_words(path)?;
        if words.iter().any(|word| word == "--config" || word.starts_with("--config=")) {
            return Err("found --config in it, expected it on the command line only".to_owned());
        }
        let mut all: Vec<OsString> = vec!["sundarban match".into()];
        all.extend(words.into_iter().filter(|word| !is_verbosity(word)).map(OsString::from));
        let own = std::env::args_os().skip_while(|word| word != "match").skip(1);
        all.extend(own.filter(|word| !word.to_str().is_some_and(is_verbosity)));
        Self::try_parse_from(all).map_err(|error| error.to_string())
    }

    fn is_for(&self, purpose: TablesPurpose) -> bool {
        self.tables_for.is_empty() || self.tables_for.contains(&purpose)
    }

    /// The rule by which tables end games, if they do.
    fn table_rule(&self) -> Result<Option<TableRule>, String> {
        let named = |why: String| format!("--tables-ends: {why}");
        let words = self.tables_ends.as_deref();
        if words.is_some() && !self.is_for(TablesPurpose::Ends) {
            return Err(named("found --tables-for openings beside it, expected ends".to_owned()));
        }
        let rule = parse_tables_ends(words.unwrap_or_default()).map_err(named)?;
        Ok((self.tables.is_some() && self.is_for(TablesPurpose::Ends)).then_some(rule))
    }

    fn settings(self, sprt: Option<Sprt>) -> Result<MatchSettings, String> {
        let engines = parse_engines(&self.engines.0, &self.each)?;
        if sprt.is_some() && engines.len() != 2 {
            return Err(format!("--sprt: found {} engines, expected 2", engines.len()));
        }
        let (openings, seed) = match self.openings.as_deref().and_then(<[String]>::split_first) {
            Some((file, words)) => {
                parse_openings(file, words, self.seed).map_err(|why| format!("--openings: {why}"))?
            }
            None => (OpeningSettings::Random { plies: self.random_plies, judge: JUDGE }, self.seed),
        };
        let adjudication = AdjudicationRules {
            max_moves: self.max_moves,
            draw: parse_draw(self.draw.as_deref().unwrap_or_default()).map_err(|why| format!("--draw: {why}"))?,
            resign: parse_resign(self.resign.as_deref().unwrap_or_default())
                .map_err(|why| format!("--resign: {why}"))?,
            tables: self.table_rule()?,
        };
        let tables_judge_openings = self.is_for(TablesPurpose::Openings);
        let format = match self.tournament {
            Tournament::RoundRobin if self.seeds.is_some() => {
                return Err("--seeds: found no gauntlet, expected --tournament gauntlet beside it".to_owned());
            }
            Tournament::RoundRobin => TournamentFormat::RoundRobin,
            Tournament::Gauntlet => {
                TournamentFormat::Gauntlet { seeds: usize::try_from(self.seeds.unwrap_or(1)).unwrap_or(usize::MAX) }
            }
        };
        Ok(MatchSettings {
            engines,
            format,
            rounds: self.rounds,
            concurrency: usize::try_from(self.concurrency).unwrap_or(1),
            rules: self.rules,
            openings,
            seed,
            adjudication,
            tables_judge_openings,
            tables: self.tables,
            draw_plies: self.draw_plies,
            patience: Duration::from_secs_f64(self.patience),
            is_lenient: self.lenient,
            sprt,
            record: self.record,
            json: self.json,
            resume: self.resume,
            interval: self.interval,
            is_quiet: self.quiet,
        })
    }
}

fn named_config(path: &Path, why: &str) -> MatchError {
    MatchError::Settings(format!("--config: {}: {why}", quoted_path(path)))
}

/// The words of a configuration file.
fn config_words(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    for (index, line) in text.lines().enumerate() {
        all.extend(text::split(line).map_err(|why| format!("line {}: {why}", index + 1))?);
    }
    Ok(all)
}

/// Whether a word is `-v`, `-vv` … or `--verbose`.
fn is_verbosity(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    word == "--verbose" || (!letters.is_empty() && letters.chars().all(|letter| letter == 'v'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::match_settings::{DRAWN_SCORE, WON_SCORE};
    use crate::eval::wdl::permille;
    use crate::position::Position;
    use crate::tournament::adjudication::{DrawRule, ResignRule};
    use crate::tournament::engine_spec::EngineProtocol;
    use crate::tournament::opening::{WIDTH, generate};
    use crate::tournament::schedule::OpeningOrder;
    use crate::tournament::sprt::EloModel;

    fn parsed(line: &str) -> Result<MatchSettings, String> {
        let words = ["match".to_owned()].into_iter().chain(text::split(line).unwrap());
        let args = MatchArgs::try_parse_from(words).map_err(|error| error.to_string())?;
        match args.command() {
            Ok(MatchCommand::Play(settings)) => Ok(*settings),
            Err(MatchError::Settings(why) | MatchError::Failed(why)) => Err(why),
            _ => Err("no match".to_owned()),
        }
    }

    const TWO: &str = "--engine cmd=a name=x nodes=5 option.Hash=8 --engine cmd='ssh host b' args=\"-q 'r s'\" ";

    #[test]
    fn engines_have_their_own_keys_and_those_of_each() {
        let settings = parsed(&format!("{TWO} --each tc=8+0.08 option.Hash=16 proto=ugi --rounds 3")).unwrap();
        let [x, b] = settings.engines.as_slice() else { panic!() };
        assert_eq!((x.name.as_str(), x.option("hash"), x.limits.nodes), ("x", Some("8"), Some(5)));
        assert_eq!((b.name.as_str(), b.option("Hash"), b.limits.nodes), ("ssh", Some("16"), None));
        assert_eq!(
            (b.program.as_path(), b.args.as_slice()),
            (Path::new("ssh"), &text::split("host b -q 'r s'").unwrap()[..])
        );
        assert!(x.limits.clock.is_some() && x.protocol == EngineProtocol::Ugi && settings.rounds == 3);
    }

    #[test]
    fn options_may_come_twice_and_the_last_counts() {
        let settings =
            parsed(&format!("{TWO} --each depth=3 --rounds 3 --rules super --rounds 4 --rules wikipedia moderno"));
        let settings = settings.unwrap();
        assert_eq!((settings.rounds, settings.rules.len(), settings.engines.len()), (4, 2, 2));
    }

    #[test]
    fn bad_options_are_refused_with_what_was_found_and_expected() {
        for (line, reason) in [
            ("--engine cmd=a nodes=1", "found 1 of --engine, expected 2 or more"),
            ("--engine nodes=1 --engine cmd=b nodes=1", "--engine number 1: found no cmd="),
            ("--engine cmd=a --engine cmd=b nodes=1", "--engine number 1: found no limit"),
            ("--engine cmd=a nodes=0 --engine cmd=b", "--engine number 1: found nodes='0', expected a number from 1"),
            ("--engine cmd=a tc=x --engine cmd=b", "--engine number 1: found tc=x, expected [MOVES/]SECONDS"),
            ("--engine cmd=a tc=0 --engine cmd=b", "--engine number 1: found tc=0+0, expected 0.01 s or more"),
            ("--engine cmd=a st=0.0001 --engine cmd=b", "--engine number 1: found st=0.0001, expected 0.01 s or more"),
            ("--engine cmd=a colour=x --engine cmd=b", "--engine number 1: found 'colour=x', expected one of cmd"),
            ("--engine cmd=a nodes=1 --engine cmd=a nodes=1", "found two engines called 'a'"),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --sprt elo0=5 elo1=0", "--sprt: found elo0=5 and elo1=0"),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --sprt elo0=5", "--sprt: expected both"),
            (
                "--engine cmd=a nodes=1 --engine cmd=b nodes=1 --sprt elo0=nan",
                "--sprt: found elo0='nan', expected a number from -5000 to 5000",
            ),
            (
                "--engine cmd=a nodes=1 --engine cmd=b nodes=1 --sprt alpha=x",
                "--sprt: found alpha='x', expected a number from 0 to 1",
            ),
            ("--engine cmd=a --engine cmd=b --each nodes=x", "--each: found nodes='x'"),
            ("--engine cmd=a tc=inf --engine cmd=b nodes=1", "--engine number 1: found tc=inf alone, expected st="),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --seeds 1", "--seeds: found no gauntlet"),
            ("--engine cmd=a nodes=1 --merge f", "--merge: found --engine beside it"),
            ("--merge f --record f", "found one file for --merge and --record, expected two"),
            ("--engine cmd=a --engine cmd=b --record ./f --json f", "found one file for --record and --json"),
            ("--engine cmd=a --engine cmd=b --resume f --openings f", "found one file for --openings and --resume"),
            ("--config f --config g", "--config: found 2 of them"),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --draw x=1", "--draw: found 'x=1', expected movenumber"),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --openings f order=x", "--openings: found 'order=x'"),
            (
                "--engine cmd=a nodes=1 --engine cmd=b nodes=1 --tables t --tables-ends plies=0",
                "--tables-ends: found plies='0', expected a number from 1",
            ),
            (
                "--engine cmd=a nodes=1 --engine cmd=b nodes=1 --tables t --tables-ends safe=1 --tables-for openings",
                "--tables-ends: found --tables-for openings beside it, expected ends",
            ),
            ("--engine cmd=a nodes=1 --engine cmd=b nodes=1 --rules chess", "error: invalid value 'chess'"),
        ] {
            let found = parsed(line).err().unwrap();
            assert!(found.starts_with(reason), "{line}: {found}");
        }
    }

    #[test]
    fn adjudication_and_openings_are_read() {
        let settings = parsed(&format!(
            "{TWO} --each depth=3 --draw movecount=5 --resign score=300 twosided=true --max-moves 90 \
             --openings f order=random seed=7 plies=6 start=11 --sprt elo0=0 elo1=5 model=logistic"
        ));
        let settings = settings.unwrap();
        assert_eq!(settings.adjudication.draw, Some(DrawRule { move_number: 30, move_count: 5, score: DRAWN_SCORE }));
        assert_eq!(settings.adjudication.resign, Some(ResignRule { move_count: 3, score: 300, two_sided: true }));
        let order = OpeningOrder::Shuffled { seed: 7 };
        let OpeningSettings::File { path, order: found, plies, skip } = settings.openings else { panic!() };
        assert_eq!((path.as_path(), found, plies, skip), (Path::new("f"), order, Some(6), 10));
        assert!(settings.sprt.is_some_and(|sprt| sprt.model() == EloModel::Logistic));
    }

    #[test]
    fn games_are_ended_where_the_model_is_sure() {
        let start = Position::start(RuleSet::standard());
        for (score, result) in [(DRAWN_SCORE, 1), (-DRAWN_SCORE, 1), (WON_SCORE, 0), (-WON_SCORE, 2)] {
            let chance = permille(score, 0, &start)[result];
            assert!((980..990).contains(&chance), "{score}: {chance}");
        }
    }

    #[test]
    fn generated_openings_are_on_the_edge_and_the_same_for_the_same_seed() {
        for rules in RuleSet::all() {
            for seed in 0..4 {
                let game = generate(rules, seed, None, JUDGE, None);
                assert_eq!(game.moves(), generate(rules, seed, None, JUDGE, None).moves());
                assert!(game.outcome().is_none());
                assert!(JUDGE.distance(&game) <= WIDTH, "{} {seed}: {:?}", rules.name, game.position());
            }
            let openings = [1, 2].map(|seed| generate(rules, seed, None, JUDGE, None));
            assert_ne!(openings[0].moves(), openings[1].moves());
        }
    }
}
