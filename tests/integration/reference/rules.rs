//! The seven rule sets as a table.

pub(super) const BAGH_BANDI: &str = "5/2E1E/1t1t1/2E1E/5 w 0 1";
const BAGH_GUTI: &str = "2t2/1E1E1/5/1E1E1/2t2 w 0 1";
const MURRAY: &str = "2t2/1E1E1/2t2/1E1E1/5 w 0 1";

/// One row of the table of rule sets.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// The name, as in `UCI_Variant`.
    pub name: &'static str,
    /// The start position.
    pub start: &'static str,
    /// A tiger may capture several times in one move.
    pub chain: bool,
    /// A chain goes on after a jump over a herd. Without it such a jump ends the move.
    pub chain_after_herd: bool,
    /// Capturing is obligatory, and only captures of the most goats possible are legal.
    pub longest: bool,
    /// The tigers win as soon as fewer goats than this live: 1 or 7.
    pub fewest_goats: u32,
    /// The result is worth points.
    pub scored: bool,
}

const fn row(
    name: &'static str,
    start: &'static str,
    chain: bool,
    chain_after_herd: bool,
    longest: bool,
    fewest_goats: u32,
) -> Rules {
    Rules {
        name,
        start,
        chain,
        chain_after_herd,
        longest,
        fewest_goats,
        scored: longest, // the two rule sets with obligatory captures are the two that are scored
    }
}

static TABLE: [Rules; 7] = [
    //                                   chain  herd   longest fewest
    row("baghbandi", BAGH_BANDI, true, false, false, 1),
    row("moderno", BAGH_BANDI, true, false, true, 1),
    row("super", BAGH_BANDI, true, true, true, 1),
    row("baghguti", BAGH_GUTI, true, false, false, 1),
    row("baghguti-murray", MURRAY, true, false, false, 1),
    row("wikipedia", BAGH_BANDI, false, false, false, 7),
    row("wikipedia-multi", BAGH_BANDI, true, true, false, 7),
];

/// The row of a rule set. Panics on an unknown name.
pub fn rules(name: &str) -> &'static Rules {
    TABLE.iter().find(|rules| rules.name == name).unwrap_or_else(|| panic!("unknown rule set {name:?}"))
}

/// The start position of a rule set as text, with both counters. Panics on an unknown name.
pub fn start_fen(name: &str) -> &'static str {
    rules(name).start
}
