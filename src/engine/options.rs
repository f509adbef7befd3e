//! The options of all protocols: one table says what there is, how it is announced and what it may hold.

use crate::game::DrawPlies;
use crate::notation::quoted;
use crate::position::MAX_QUIET_PLIES;
use crate::rules::RuleSet;
use crate::tablebase::probe::DEFAULT_CACHE;
use std::path::PathBuf;

/// The values of all options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Size of the transposition table, in megabytes.
    pub hash: u64,
    /// Threads of a search.
    pub threads: u64,
    /// Best lines shown.
    pub multi_pv: u64,
    /// Whether the expected reply is named with the best move.
    pub ponder: bool,
    /// The rule set.
    pub rules: &'static RuleSet,
    /// Whether games that are drawn by their history are searched all the same.
    pub analyse: bool,
    /// Whether scores come with chances of win, draw and loss.
    pub show_wdl: bool,
    /// Time kept back of each move's, in milliseconds.
    pub overhead: u64,
    /// Quiet plies that make a draw; 0 for none.
    pub draw_plies: u64,
    /// Folder of solved tables; empty for none.
    pub table_path: PathBuf,
    /// Most memory for blocks of them, in megabytes.
    pub table_cache: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 64,
            threads: 1,
            multi_pv: 1,
            ponder: false,
            rules: RuleSet::standard(),
            analyse: false,
            show_wdl: false,
            overhead: 10,
            draw_plies: u64::from(DrawPlies::default().get()),
            table_path: PathBuf::new(),
            table_cache: DEFAULT_CACHE as u64,
        }
    }
}

/// What has to be done after an option was set.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// See how many threads there can be.
    Threads,
    /// Start with an empty transposition table, perhaps of another size.
    NewTable,
    /// Set up the start of the new rule set.
    Rules,
    /// Tell the game the new number of quiet plies.
    DrawPlies,
    /// Look for tables.
    Tablebase,
}

/// What an option holds, and where.
enum Kind {
    Check(fn(&mut Options) -> &mut bool),
    Spin { low: u64, high: u64, slot: fn(&mut Options) -> &mut u64 },
    Rules,
    Path,
    Button,
}

struct Spec {
    name: &'static str,
    kind: Kind,
    effect: Effect,
}

const SPECS: [Spec; 12] = [
    spin("Hash", 1, 65_536, |options| &mut options.hash, Effect::NewTable),
    spin("Threads", 1, 256, |options| &mut options.threads, Effect::Threads),
    spin("MultiPV", 1, 500, |options| &mut options.multi_pv, Effect::None),
    check("Ponder", |options| &mut options.ponder),
    Spec { name: "Clear Hash", kind: Kind::Button, effect: Effect::NewTable },
    Spec { name: "UCI_Variant", kind: Kind::Rules, effect: Effect::Rules },
    check("UCI_AnalyseMode", |options| &mut options.analyse),
    check("UCI_ShowWDL", |options| &mut options.show_wdl),
    spin("Move Overhead", 0, 5_000, |options| &mut options.overhead, Effect::None),
    spin("DrawPlies", 0, MAX_QUIET_PLIES as u64, |options| &mut options.draw_plies, Effect::DrawPlies),
    Spec { name: "TablePath", kind: Kind::Path, effect: Effect::Tablebase },
    spin("TableCache", 1, 65_536, |options| &mut options.table_cache, Effect::Tablebase),
];

const fn spin(name: &'static str, low: u64, high: u64, slot: fn(&mut Options) -> &mut u64, effect: Effect) -> Spec {
    Spec { name, kind: Kind::Spin { low, high, slot }, effect }
}

const fn check(name: &'static str, slot: fn(&mut Options) -> &mut bool) -> Spec {
    Spec { name, kind: Kind::Check(slot), effect: Effect::None }
}

impl Spec {
    fn announcement(&self) -> String {
        let mut defaults = Options::default();
        let what = match &self.kind {
            Kind::Check(slot) => format!("check default {}", slot(&mut defaults)),
            Kind::Spin { low, high, slot } => format!("spin default {} min {low} max {high}", slot(&mut defaults)),
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
}

impl Options {
    /// The lines that announce the options.
    pub fn announcements() -> impl Iterator<Item = String> {
        SPECS.iter().map(Spec::announcement)
    }

    /// The value of an option as its text, the name in any case; `None` for a button and for a name that is none.
    pub fn value(&self, name: &str) -> Option<String> {
        let spec = SPECS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name))?;
        let mut options = self.clone();
        match &spec.kind {
            Kind::Check(slot) => Some(slot(&mut options).to_string()),
            Kind::Spin { slot, .. } => Some(slot(&mut options).to_string()),
            Kind::Rules => Some(self.rules.name.to_owned()),
            Kind::Path => Some(self.table_path.display().to_string()),
            Kind::Button => None,
        }
    }

    /// Sets an option, its name in any case.
    ///
    /// # Errors
    /// Says what was found and expected; nothing has changed then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let spec = SPECS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<&str> = SPECS.iter().map(|spec| spec.name).collect();
            format!("unknown option {}, expected one of {}", quoted(name), names.join(", "))
        })?;
        let refused = |expected: String| {
            let found = value.map_or_else(|| "no value".to_owned(), quoted);
            Err(format!("{}: found {found}, expected {expected}; nothing changed", spec.name))
        };
        let text = value.unwrap_or_default();
        match &spec.kind {
            Kind::Check(slot) => match text.to_ascii_lowercase().as_str() {
                "true" => *slot(self) = true,
                "false" => *slot(self) = false,
                _ => return refused("'true' or 'false'".to_owned()),
            },
            Kind::Spin { low, high, slot } => match text.parse() {
                Ok(number) if (*low..=*high).contains(&number) => *slot(self) = number,
                _ => return refused(format!("a number from {low} to {high}")),
            },
            Kind::Rules => match RuleSet::named(text) {
                Some(rules) if rules == self.rules => return Ok(Effect::None),
                Some(rules) => self.rules = rules,
                None => return refused(format!("one of {}", RuleSet::names())),
            },
            Kind::Path => match value {
                Some(path) => self.table_path = PathBuf::from(path),
                None => return refused("a folder or <empty>".to_owned()),
            },
            Kind::Button => {}
        }
        Ok(spec.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_what_guis_read() {
        let lines: Vec<String> = Options::announcements().collect();
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
        let mut options = Options::default();
        assert_eq!(options.set("HASH", Some("128")), Ok(Effect::NewTable));
        assert_eq!(options.set("clear hash", Some("true")), Ok(Effect::NewTable));
        assert_eq!(options.set("uci_variant", Some("SUPER")), Ok(Effect::Rules));
        assert_eq!(options.set("UCI_Variant", Some("super")), Ok(Effect::None));
        assert_eq!(options.set("Ponder", Some("True")), Ok(Effect::None));
        assert_eq!((options.hash, options.rules.name, options.ponder), (128, "super", true));
    }

    #[test]
    fn what_is_out_of_range_changes_nothing() {
        let mut options = Options::default();
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
            assert!(options.set(name, value).is_err(), "{name} {value:?}");
        }
        assert_eq!(options, Options::default());
    }
}
