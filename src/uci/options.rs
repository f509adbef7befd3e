//! The engine's options by their names in UCI and UGI: the one table to add an option to, from which it is announced and
//! its value read.

use crate::engine::Engine;
use crate::engine::options::{NumberOption, Options};
use crate::notation::quoted;
use crate::rules::RuleSet;
use std::path::PathBuf;

/// What else the session has to do after an option was set.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// Warn if there are fewer processors than threads.
    Threads,
    /// Nothing more: the transposition table was emptied.
    NewTable,
    /// Set up the start of the new rule set, and open its tables.
    Rules,
    /// Tell the game the new number of quiet plies.
    DrawPlies,
    /// Open the tables.
    Tablebase,
}

/// What an option holds, and where.
enum Kind {
    Check(fn(&mut Options) -> &mut bool),
    Spin(NumberOption),
    Rules,
    Path,
    Button,
}

struct UciOption {
    name: &'static str,
    kind: Kind,
    effect: Effect,
}

const OPTIONS: [UciOption; 12] = [
    spin("Hash", NumberOption::Hash, Effect::NewTable),
    spin("Threads", NumberOption::Threads, Effect::Threads),
    spin("MultiPV", NumberOption::MultiPv, Effect::None),
    check("Ponder", |options| &mut options.ponder),
    UciOption { name: "Clear Hash", kind: Kind::Button, effect: Effect::NewTable },
    UciOption { name: "UCI_Variant", kind: Kind::Rules, effect: Effect::Rules },
    check("UCI_AnalyseMode", |options| &mut options.analyse),
    check("UCI_ShowWDL", |options| &mut options.show_wdl),
    spin("Move Overhead", NumberOption::Overhead, Effect::None),
    spin("DrawPlies", NumberOption::DrawPlies, Effect::DrawPlies),
    UciOption { name: "TablePath", kind: Kind::Path, effect: Effect::Tablebase },
    spin("TableCache", NumberOption::TableCache, Effect::Tablebase),
];

const fn spin(name: &'static str, option: NumberOption, effect: Effect) -> UciOption {
    UciOption { name, kind: Kind::Spin(option), effect }
}

const fn check(name: &'static str, slot: fn(&mut Options) -> &mut bool) -> UciOption {
    UciOption { name, kind: Kind::Check(slot), effect: Effect::None }
}

/// The lines that announce the options.
pub fn announcements() -> impl Iterator<Item = String> {
    OPTIONS.iter().map(UciOption::announcement)
}

/// Sets an option of an engine, its name in any case, and empties the transposition table where its entries would be
/// wrong afterwards.
///
/// # Errors
/// If there is no such option, or it can't have the value; the text says what was found and expected. Nothing has changed
/// then.
pub fn set(engine: &mut Engine, name: &str, value: Option<&str>) -> Result<Effect, String> {
    let option = named(name).ok_or_else(|| {
        let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
        format!("unknown option {}, expected one of {}", quoted(name), names.join(", "))
    })?;
    let mut options = engine.options().clone();
    let effect = option.set(&mut options, value)?;
    let name_of = |wrong| OPTIONS.iter().find(|option| matches!(option.kind, Kind::Spin(own) if own == wrong));
    engine.set_options(options).map_err(|error| {
        let name = name_of(error.option()).map_or(option.name, |option| option.name);
        format!("{name}: {error}; nothing changed")
    })?;
    if matches!(effect, Effect::NewTable | Effect::Rules | Effect::Tablebase) {
        engine.clear_hash();
    }
    Ok(effect)
}

fn named(name: &str) -> Option<&'static UciOption> {
    OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

impl UciOption {
    fn announcement(&self) -> String {
        let mut defaults = Options::default();
        let what = match &self.kind {
            Kind::Check(slot) => format!("check default {}", slot(&mut defaults)),
            Kind::Spin(option) => {
                let (low, high) = option.range().into_inner();
                format!("spin default {} min {low} max {high}", option.value(&defaults))
            }
            Kind::Rules => {
                RuleSet::all().iter().fold(format!("combo default {}", defaults.rules.name), |text, rules| {
                    format!("{text} var {}", rules.name)
                })
            }
            Kind::Path => "string default <empty>".to_owned(),
            Kind::Button => "button".to_owned(),
        };
        format!("option name {} type {what}", self.name)
    }

    /// Reads a value into the options.
    fn set(&self, options: &mut Options, value: Option<&str>) -> Result<Effect, String> {
        let refused = |expected: String| {
            let found = value.map_or_else(|| "no value".to_owned(), quoted);
            Err(format!("{}: found {found}, expected {expected}; nothing changed", self.name))
        };
        let text = value.unwrap_or_default();
        match &self.kind {
            Kind::Check(slot) => match text.to_ascii_lowercase().as_str() {
                "true" => *slot(options) = true,
                "false" => *slot(options) = false,
                _ => return refused("'true' or 'false'".to_owned()),
            },
            Kind::Spin(option) => match option.parse(text) {
                Some(number) => *option.value_mut(options) = number,
                None => return refused(option.expected()),
            },
            Kind::Rules => match RuleSet::named(text) {
                Some(rules) if rules == options.rules => return Ok(Effect::None),
                Some(rules) => options.rules = rules,
                None => return refused(format!("one of {}", RuleSet::names())),
            },
            Kind::Path => match value {
                Some(path) => options.table_path = PathBuf::from(path),
                None => return refused("a folder, several, or <empty>".to_owned()),
            },
            Kind::Button => {}
        }
        Ok(self.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_what_guis_read() {
        let lines: Vec<String> = announcements().collect();
        for line in [
            "option name Hash type spin default 64 min 1 max 65536",
            "option name Ponder type check default false",
            "option name Clear Hash type button",
            "option name TablePath type string default <empty>",
        ] {
            assert!(lines.iter().any(|found| found == line), "{line}");
        }
        assert!(lines.iter().any(|line| line.starts_with("option name UCI_Variant type combo default baghbandi var")));
    }

    #[test]
    fn options_are_set_in_any_case() {
        let mut engine = Engine::default();
        assert_eq!(set(&mut engine, "HASH", Some("128")), Ok(Effect::NewTable));
        assert_eq!(set(&mut engine, "clear hash", Some("true")), Ok(Effect::NewTable));
        assert_eq!(set(&mut engine, "uci_variant", Some("SUPER")), Ok(Effect::Rules));
        assert_eq!(set(&mut engine, "UCI_Variant", Some("super")), Ok(Effect::None));
        assert_eq!(set(&mut engine, "Ponder", Some("True")), Ok(Effect::None));
        assert_eq!(set(&mut engine, "Move Overhead", Some("70")), Ok(Effect::None));
        let options = engine.options();
        assert_eq!((options.hash, options.rules.name, options.ponder, options.overhead), (128, "super", true, 70));
    }

    #[test]
    fn what_is_out_of_range_changes_nothing() {
        let mut engine = Engine::default();
        for (name, value) in [
            ("Hash", Some("0")),
            ("Hash", Some("-1")),
            ("Hash", Some("abc")),
            ("Hash", Some("99999999999999999999")),
            ("Hash", None),
            ("Threads", Some("257")),
            ("Ponder", Some("maybe")),
            ("UCI_Variant", Some("chess")),
            ("TablePath", None),
            ("Nonsense", Some("1")),
            ("", None),
        ] {
            assert!(set(&mut engine, name, value).is_err(), "{name} {value:?}");
        }
        assert_eq!(engine.options(), &Options::default());
    }
}
