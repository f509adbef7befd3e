//! The groups of `key=value` words in the options of `sundarban match`, in the keys that users of other tournament
//! managers know.

use crate::platform;
use crate::text::{self, key_value, number, quoted};
use crate::tournament::adjudication::{DrawRule, ResignRule, TableRule};
use crate::tournament::engine_spec::{EngineProtocol, EngineSpec};
use crate::tournament::limits::EngineLimits;
use crate::tournament::schedule::OpeningOrder;
use crate::tournament::settings::OpeningSettings;
use crate::tournament::sprt::{EloModel, MAX_ELO, Sprt, SprtError};
use std::path::{Path, PathBuf};

/// The engines of a match: the words of each `--engine`, and those of `--each` for all that lack them.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_engines(groups: &[Vec<String>], each: &[String]) -> Result<Vec<EngineSpec>, String> {
    if groups.len() < 2 {
        return Err(format!("found {} of --engine, expected 2 or more", groups.len()));
    }
    EngineDraft::default().set_all(each).map_err(|why| format!("--each: {why}"))?;
    let mut engines: Vec<EngineSpec> = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let engine = parse_engine(group, each).map_err(|why| format!("--engine number {}: {why}", index + 1))?;
        if engines.iter().any(|other| other.name == engine.name) {
            return Err(format!("found two engines called '{}', expected different names: use name=", engine.name));
        }
        engines.push(engine);
    }
    Ok(engines)
}

/// The keys of an engine that have been read so far.
#[derive(Default)]
struct EngineDraft {
    name: Option<String>,
    command: Option<String>,
    dir: Option<PathBuf>,
    args: Vec<String>,
    protocol: EngineProtocol,
    limits: EngineLimits,
    options: Vec<(String, String)>,
}

impl EngineDraft {
    fn set_all(&mut self, words: &[String]) -> Result<(), String> {
        words.iter().try_for_each(|word| self.set(word))
    }

    fn set(&mut self, word: &str) -> Result<(), String> {
        let (key, value) = key_value(word)?;
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.command = Some(value.to_owned()),
            "args" => self.args = text::split(value)?,
            "dir" => self.dir = Some(PathBuf::from(value)),
            "proto" => {
                self.protocol = match value {
                    "uci" => EngineProtocol::Uci,
                    "ugi" => EngineProtocol::Ugi,
                    _ => return Err(format!("found proto={value}, expected proto=uci or proto=ugi")),
                }
            }
            _ if self.limits.set(key, value)? => {}
            _ => match key.strip_prefix("option.") {
                Some(option) => self.options.push((option.to_owned(), value.to_owned())),
                None => return Err(format!("found {}, expected one of {KEYS}", quoted(word))),
            },
        }
        Ok(())
    }
}

fn parse_engine(own: &[String], each: &[String]) -> Result<EngineSpec, String> {
    let mut draft = EngineDraft::default();
    draft.set_all(each)?;
    draft.set_all(own)?;
    let EngineDraft { name, command, dir, args, protocol, limits, options } = draft;
    if !limits.is_bounded() {
        return Err(if limits.is_endless {
            "found tc=inf alone, expected st=, nodes= or depth= beside it: without any an answer may never come"
        } else {
            "found no limit, expected tc=, st=, nodes= or depth="
        }
        .to_owned());
    }
    limits.check_times()?;
    let command = command.filter(|command| !command.trim().is_empty()).ok_or("found no cmd=, expected a program")?;
    let (program, first_args) = split_command(&command, dir.as_deref())?;
    let default_name = || program.file_name().map_or_else(|| command.clone(), |name| name.to_string_lossy().into());
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(default_name);
    let args = first_args.into_iter().chain(args).collect();
    Ok(EngineSpec { name, program, args, dir, protocol, limits, options })
}

const KEYS: &str = "cmd name args dir proto tc st nodes depth timemargin option.NAME";

/// The program and the first arguments of a `cmd=`. A path with blanks needs quotes, unless the whole command is a file.
fn split_command(command: &str, dir: Option<&Path>) -> Result<(PathBuf, Vec<String>), String> {
    let words = if platform::program_file(Path::new(command)).is_some() {
        vec![command.to_owned()]
    } else {
        text::split(command)?
    };
    let (program, args) = words.split_first().ok_or("found no cmd=, expected a program")?;
    let program = PathBuf::from(program);
    if program.components().count() < 2 && !program.is_absolute() && !command.starts_with("./") {
        return Ok((program, args.to_vec()));
    }
    // A relative path starts from the engine's folder if there is such a file, else from ours.
    let candidates = dir.into_iter().map(|dir| dir.join(&program)).chain([program.clone()]);
    let found = candidates.into_iter().find_map(|path| platform::program_path(&path));
    Ok((found.unwrap_or(program), args.to_vec()))
}

/// The words of `--openings` after the file, as settings, with the seed in force: that of `--seed` unless they have one.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_openings(file: &str, words: &[String], seed: u64) -> Result<(OpeningSettings, u64), String> {
    let (mut is_random, mut seed, mut plies, mut skip) = (false, seed, None, 0);
    for word in words {
        match key_value(word)? {
            ("order", "sequential") => is_random = false,
            ("order", "random") => is_random = true,
            ("seed", value) => seed = number("seed", value, 0, u64::MAX)?,
            ("plies", value) => plies = Some(number("plies", value, 0, 10_000)?),
            ("start", value) => skip = number("start", value, 1, u64::MAX)? - 1,
            _ => {
                return Err(format!(
                    "found {}, expected order=sequential|random, seed=N, plies=N or start=N",
                    quoted(word)
                ));
            }
        }
    }
    let order = if is_random { OpeningOrder::Shuffled { seed } } else { OpeningOrder::Sequential };
    Ok((OpeningSettings::File { path: PathBuf::from(file), order, plies, skip }, seed))
}

/// Largest score, in centigoats, of a game that `--draw` ends if nothing else is said: by our win/draw/loss model 98 % of such
/// positions are drawn.
pub const DRAWN_SCORE: i32 = 100;
/// Smallest score, in centigoats, of a game that `--resign` ends if nothing else is said: by our win/draw/loss model 98 % of
/// such positions are won.
pub const WON_SCORE: i32 = 300;

/// The words of `--draw`; `None` without any.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_draw(words: &[String]) -> Result<Option<DrawRule>, String> {
    let mut rule = DrawRule { move_number: 30, move_count: 8, score: DRAWN_SCORE };
    for word in words {
        match key_value(word)? {
            ("movenumber", value) => rule.move_number = number("movenumber", value, 0, u32::MAX)?,
            ("movecount", value) => rule.move_count = number("movecount", value, 1, 10_000)?,
            ("score", value) => rule.score = number("score", value, 0, 30_000)?,
            _ => return Err(format!("found {}, expected movenumber=N, movecount=N or score=CENTIGOATS", quoted(word))),
        }
    }
    Ok((!words.is_empty()).then_some(rule))
}

/// The words of `--resign`; `None` without any.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_resign(words: &[String]) -> Result<Option<ResignRule>, String> {
    let mut rule = ResignRule { move_count: 3, score: WON_SCORE, two_sided: false };
    for word in words {
        match key_value(word)? {
            ("movecount", value) => rule.move_count = number("movecount", value, 1, 10_000)?,
            ("score", value) => rule.score = number("score", value, 1, 30_000)?,
            ("twosided", "true") => rule.two_sided = true,
            ("twosided", "false") => rule.two_sided = false,
            _ => {
                return Err(format!(
                    "found {}, expected movecount=N, score=CENTIGOATS or twosided=true|false",
                    quoted(word)
                ));
            }
        }
    }
    Ok((!words.is_empty()).then_some(rule))
}

/// The words of `--tables-ends`.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_tables_ends(words: &[String]) -> Result<TableRule, String> {
    let mut rule = TableRule { plies: 8, safe: 2 };
    for word in words {
        match key_value(word)? {
            ("plies", value) => rule.plies = number("plies", value, 1, 10_000)?,
            ("safe", value) => rule.safe = number("safe", value, 0, 4)?,
            _ => return Err(format!("found {}, expected plies=N or safe=PLIES", quoted(word))),
        }
    }
    Ok(rule)
}

/// The words of `--sprt`; `None` without any.
///
/// # Errors
/// Says what was found and expected.
pub fn parse_sprt(words: &[String]) -> Result<Option<Sprt>, String> {
    let (mut elo, mut alpha, mut beta, mut model) = ([None; 2], 0.05, 0.05, EloModel::Normalized);
    let [elo0, elo1] = &mut elo;
    for word in words {
        let (key, value) = key_value(word)?;
        let elo = || number(key, value, -MAX_ELO, MAX_ELO);
        let rate = || number(key, value, 0.0, 1.0);
        match key {
            "elo0" => *elo0 = Some(elo()?),
            "elo1" => *elo1 = Some(elo()?),
            "alpha" => alpha = rate()?,
            "beta" => beta = rate()?,
            "model" => model = value.parse().map_err(|error: SprtError| error.to_string())?,
            _ => return Err(format!("found {}, expected elo0=, elo1=, alpha=, beta= or model=", quoted(word))),
        }
    }
    match elo {
        _ if words.is_empty() => Ok(None),
        [Some(elo0), Some(elo1)] => {
            Sprt::new(elo0, elo1, alpha, beta, model).map(Some).map_err(|error| error.to_string())
        }
        _ => Err("expected both elo0= and elo1=".to_owned()),
    }
}
