//! The table that is part of the program: the positions without a herd and with few goats, with distances, so that the
//! tigers finish what they have won.
//!
//! The rule sets by which White can't win with so few goats share two files, since without herds they are two games: one
//! where captures are optional, one where they are obligatory. By the `wikipedia` rules Black has won by then.
//! `tables.md` says how the files were made, and has their checksums. A file is decoded when it is first probed, which
//! takes 5 ms and 2.2 MB of memory.

pub(crate) mod format;

use crate::position::Position;
use crate::rules::RuleSet;
use crate::tablebase::probe::Probe;
use format::EmbeddedTable;
use std::sync::OnceLock;

/// Most goats of the positions.
pub const EMBEDDED_GOATS: u32 = 5;

/// A file with a table, and the table once it was needed.
#[derive(Debug)]
pub struct EmbeddedFile {
    /// The rule set that it was made for; others share it.
    rules: &'static str,
    bytes: &'static [u8],
    table: OnceLock<EmbeddedTable>,
}

static FILES: [EmbeddedFile; 2] = [
    EmbeddedFile { rules: "baghbandi", bytes: include_bytes!("baghbandi.endings"), table: OnceLock::new() },
    EmbeddedFile { rules: "moderno", bytes: include_bytes!("moderno.endings"), table: OnceLock::new() },
];

impl EmbeddedFile {
    /// The file for a rule set.
    ///
    /// Returns `None` if with so few goats the game is over.
    pub fn of(rules: &RuleSet) -> Option<&'static Self> {
        FILES.iter().find(|file| RuleSet::named(file.rules).is_some_and(|own| own.is_same_without_herds(rules)))
    }

    /// Whether it has a position; the game must not be over there. Takes no time.
    #[inline]
    pub const fn has(&self, position: &Position) -> bool {
        position.goats_alive() <= EMBEDDED_GOATS && position.goats_below() == 0
    }

    /// The value of a position in which the game is not over, and the plies to its end: in 20 ns with White to move, in a
    /// quarter of a microsecond with Black to move.
    ///
    /// Returns `None` if the table does not have it.
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<Probe> {
        if self.has(position) { self.table().probe(position) } else { None }
    }

    fn table(&self) -> &EmbeddedTable {
        self.table.get_or_init(|| {
            let rules = RuleSet::named(self.rules).ok_or("no such rule set".to_owned());
            let table =
                rules.and_then(|rules| EmbeddedTable::decode(self.bytes, rules).map_err(|error| error.to_string()));
            match table {
                Ok(table) => table,
                Err(error) => unreachable!("broken invariant: the program's table is whole: {error}"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Point, PointSet};
    use crate::checksum::fnv1a_64;
    use crate::position::Setup;
    use crate::rules::Side;
    use crate::symmetry::{PAIRS, Symmetry};
    use crate::tablebase::Tablebase;
    use crate::tablebase::build::{BuildPlan, build};
    use std::fs;

    const NAMES: [&str; 5] = ["baghbandi", "baghguti", "baghguti-murray", "moderno", "super"];

    fn named(name: &str) -> &'static RuleSet {
        RuleSet::named(name).unwrap()
    }

    /// Freshly solved tables of the positions without a herd.
    fn solved(rules: &'static RuleSet, goats: u32, distances: bool) -> Tablebase {
        let dir = std::env::temp_dir().join(format!(
            "sundarban-embedded-{}-{}-{goats}-{distances}",
            std::process::id(),
            rules.name
        ));
        let plan =
            BuildPlan { rules, dir: dir.clone(), goats, herds: 0, layer: None, distances, memory: 1 << 30, threads: 2 };
        build(&plan, |_| {}).unwrap();
        let tables = Tablebase::open(&dir, rules).unwrap();
        fs::remove_dir_all(dir).unwrap();
        tables
    }

    fn image(position: &Position, symmetry: Symmetry) -> Position {
        let mut goats = [0; Point::COUNT];
        position.goats().into_iter().for_each(|goat| goats[symmetry.point(goat).index()] = 1);
        let tigers: PointSet = position.tigers().into_iter().map(|tiger| symmetry.point(tiger)).collect();
        let setup = Setup { goats, tigers, side: position.side(), quiet: 0, number: 1 };
        Position::new(position.rules(), &setup).unwrap()
    }

    /// Positions of a number of goats, both sides to move, one of `every`.
    fn sample(rules: &'static RuleSet, goats: u32, every: usize) -> impl Iterator<Item = Position> {
        [Side::White, Side::Black].into_iter().flat_map(move |side| {
            (0..PAIRS).flat_map(move |pair| format::positions(rules, pair, goats, side)).step_by(every)
        })
    }

    #[test]
    fn the_files_are_whole_and_those_that_the_list_names() {
        let list = include_str!("tables.md");
        for file in &FILES {
            let table = EmbeddedTable::decode(file.bytes, named(file.rules)).unwrap();
            let [most, more] =
                [EMBEDDED_GOATS, EMBEDDED_GOATS + 1].map(|goats| sample(named(file.rules), goats, 1).next());
            assert!(table.probe(&most.unwrap()).is_some() && table.probe(&more.unwrap()).is_none());
            let (name, size, sum) = (file.rules, file.bytes.len(), fnv1a_64(file.bytes));
            let row = format!("| `{name}.endings` | {size} | `{sum:016x}` |");
            assert!(list.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_damaged_file_is_noticed() {
        for file in &FILES {
            let rules = named(file.rules);
            for at in (0..file.bytes.len()).step_by(1999).chain([file.bytes.len() - 1]) {
                let mut bytes = file.bytes.to_vec();
                bytes[at] ^= 1 << (at % 8);
                assert!(EmbeddedTable::decode(&bytes, rules).is_err(), "{at}");
                // Whatever stands there, with a checksum that fits.
                let body = bytes.len() - 8;
                let sum = fnv1a_64(&bytes[..body]);
                bytes[body..].copy_from_slice(&sum.to_le_bytes());
                let _ = EmbeddedTable::decode(&bytes, rules);
                assert!(EmbeddedTable::decode(&file.bytes[..at], rules).is_err(), "{at}");
            }
            let other = FILES.iter().find(|other| other.rules != file.rules).unwrap();
            assert!(EmbeddedTable::decode(file.bytes, named(other.rules)).is_err());
        }
    }

    #[test]
    fn values_and_distances_are_those_of_a_fresh_solution() {
        for (name, goats) in [("baghbandi", 3), ("moderno", 3), ("super", 2), ("baghguti", 2)] {
            let rules = named(name);
            let (tables, embedded) = (solved(rules, goats, true), Tablebase::embedded(rules).unwrap());
            for (goats, every) in (1..=goats).zip([1, 1, 7]) {
                for position in sample(rules, goats, every) {
                    assert_eq!(embedded.probe(&position), tables.probe(&position), "{name} {position:?}");
                }
            }
        }
    }

    #[test]
    fn every_value_follows_from_those_one_move_on() {
        for (name, goats, every) in [("baghbandi", 4, 41), ("moderno", 5, 211), ("baghbandi", 5, 211), ("super", 4, 41)]
        {
            let tables = Tablebase::embedded(named(name)).unwrap();
            for position in sample(named(name), goats, every) {
                assert_eq!(tables.one_ply_value(&position), tables.probe(&position), "{name} {position:?}");
            }
        }
    }

    #[test]
    fn images_have_the_same_value() {
        for name in NAMES {
            let tables = Tablebase::embedded(named(name)).unwrap();
            for goats in 1..=EMBEDDED_GOATS {
                for position in sample(named(name), goats, 401 * goats as usize) {
                    let probe = tables.probe(&position).unwrap();
                    for symmetry in Symmetry::all() {
                        assert_eq!(tables.probe(&image(&position, symmetry)), Ok(probe), "{name} {position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn it_stands_in_where_a_folder_has_less() {
        let rules = RuleSet::standard();
        let [two, three] = [2, 3].map(|goats| sample(rules, goats, 1).find(|position| position.side() == Side::Black));
        let (two, three) = (two.unwrap(), three.unwrap());
        let files = solved(rules, 2, false);
        assert!(files.has_files() && files.probe(&three).is_err());
        assert_eq!(files.probe(&two).unwrap().plies, None);
        let both = files.with_embedded();
        let alone = Tablebase::embedded(rules).unwrap();
        assert!(both.has_files() && !alone.has_files());
        for position in [two, three] {
            assert!(both.may_know(&position) && alone.may_know(&position));
            assert_eq!(both.probe(&position), alone.probe(&position));
            assert!(alone.probe(&position).unwrap().plies.is_some());
        }
        let start = Position::start(rules);
        assert!(both.may_know(&start) && !alone.may_know(&start));
        assert!(alone.probe(&start).is_err() && alone.best_moves(&start).is_none());
        assert!(Tablebase::embedded(named("wikipedia")).is_none());
    }
}
