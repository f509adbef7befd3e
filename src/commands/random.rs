//! `sundarban random`: random legal positions, or random games, the same for the same seed.
//!
//! Each one has random numbers of its own, which follow from the seed and its number, so the first of a thousand are
//! those of a hundred.

use crate::board::{Point, PointSet};
use crate::commands::args::{RulesArg, number, parse_range};
use crate::commands::convert::{Form, line_of_position};
use crate::commands::error::CliError;
use crate::game::Game;
use crate::notation::match_record::Record;
use crate::position::{Position, Setup};
use crate::rng::SplitMix64;
use crate::rules::{GOATS, HERD, HERDS, RuleSet, Side};
use crate::text::counted;
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::ops::RangeInclusive;

/// Tries for each position or game, until the filters let one through.
const TRIES: u32 = 20_000;
/// Longest random games, in plies.
const MOST_PLIES: u32 = 100_000;

const EXAMPLES: &str = "\
Examples:
  sundarban random --count 3 --seed 7
  sundarban random --count 3 --goats 3-6 --herds 0 --side b --rules baghguti
  sundarban random --games --count 2 --plies 10-20 --to record
  sundarban random --count 1000 | sundarban eval --format json | head -2

The positions are legal, but not all of them can come about from the start; --games gives those that do.";

/// A value of `--side`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum SideArg {
    /// White, the goats
    W,
    /// Black, the tigers
    B,
}

impl SideArg {
    /// The side.
    pub const fn side(self) -> Side {
        match self {
            Self::W => Side::White,
            Self::B => Side::Black,
        }
    }
}

/// Options of `random`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct RandomArgs {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    count: u64,
    /// Makes them; another seed gives other ones
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    rules: RulesArg,
    /// Goats alive: a number, or two as 3-6
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, value_parser = parse_range)]
    goats: Option<RangeInclusive<u32>>,
    /// Herds of two goats or more
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, value_parser = parse_range)]
    herds: Option<RangeInclusive<u32>>,
    /// Side to move
    #[arg(long, value_name = "SIDE")]
    side: Option<SideArg>,
    /// Games of random moves instead of positions; what is said of goats, herds and side holds for their end
    #[arg(long)]
    games: bool,
    /// Plies of a game, with --games; it ends with the first position that the rest allows
    #[arg(long, value_name = "RANGE", default_value = "0-100", requires = "games", allow_negative_numbers = true, value_parser = parse_range)]
    plies: RangeInclusive<u32>,
    /// What games are printed as, with --games
    #[arg(long, value_name = "FORM", default_value = "moves", requires = "games")]
    to: Form,
}

/// The positions wanted.
struct Filter {
    rules: &'static RuleSet,
    goats: RangeInclusive<u32>,
    herds: RangeInclusive<u32>,
    side: Option<Side>,
}

impl Filter {
    fn new(args: &RandomArgs) -> Result<Self, CliError> {
        let least = args.rules.rules.goats_to_live.max(1);
        let goats = within("--goats", args.goats.clone(), least..=GOATS)?;
        let herds = within("--herds", args.herds.clone(), 0..=HERDS as u32)?;
        if 2 * herds.start() > *goats.end() {
            let (herds, goats) = (herds.start(), counted(*goats.end(), "goat"));
            return Err(CliError::Usage(format!("--herds: found {herds} with {goats} at most, expected fewer")));
        }
        Ok(Self { rules: args.rules.rules, goats, herds, side: args.side.map(SideArg::side) })
    }

    fn allows(&self, position: &Position) -> bool {
        self.goats.contains(&position.goats_alive())
            && self.herds.contains(&position.herd_points().len())
            && self.side.is_none_or(|side| side == position.side())
    }
}

/// The range given for an option, which must lie within that of the rules; the latter if none is given.
fn within(
    option: &str,
    given: Option<RangeInclusive<u32>>,
    all: RangeInclusive<u32>,
) -> Result<RangeInclusive<u32>, CliError> {
    match given {
        None => Ok(all),
        Some(given) if all.contains(given.start()) && all.contains(given.end()) => Ok(given),
        Some(given) => {
            let (low, high) = all.into_inner();
            let found = if given.start() == given.end() {
                given.start().to_string()
            } else {
                format!("{}-{}", given.start(), given.end())
            };
            Err(CliError::Usage(format!(
                "{option}: found {found}, expected numbers from {low} to {high} in these rules"
            )))
        }
    }
}

/// Makes random positions or games.
///
/// # Errors
/// If the options are wrong, none of many tries has passed the filter, or the output fails.
pub fn run(args: &RandomArgs) -> Result<(), CliError> {
    let filter = Filter::new(args)?;
    let plies = within("--plies", Some(args.plies.clone()), 0..=MOST_PLIES)?;
    let mut out = io::stdout().lock();
    for number in 0..args.count {
        let mut random = SplitMix64(SplitMix64::nth(args.seed, number));
        let found = (0..TRIES).find_map(|_| match args.games {
            true => game(&filter, &plies, &mut random).map(|game| args.to.text(&plain(game))),
            false => position(&filter, &mut random).map(|position| line_of_position(&position)),
        });
        let Some(text) = found else {
            let what = if args.games { "games" } else { "positions" };
            return Err(CliError::Work(format!("none of {TRIES} random {what} is as asked for")));
        };
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

/// A match record without tags and comments.
fn plain(game: Game) -> Record {
    Record::new(game)
}

/// A number from a range.
fn random_in(random: &mut SplitMix64, range: &RangeInclusive<u32>) -> u32 {
    range.start() + random.below(u64::from(range.end() - range.start()) + 1) as u32
}

/// A random point of a set.
fn point_of(random: &mut SplitMix64, set: PointSet) -> Option<Point> {
    set.into_iter().nth(random.below(u64::from(set.len()).max(1)) as usize)
}

/// A random position in which the game goes on; `None` if this try has made none.
fn position(filter: &Filter, random: &mut SplitMix64) -> Option<Position> {
    let mut setup = Setup { goats: [0; Point::COUNT], tigers: PointSet::EMPTY, side: Side::White, quiet: 0, number: 1 };
    let goats = random_in(random, &filter.goats);
    let mut free = PointSet::FULL;
    let mut left = goats;
    let mut herds = filter.rules.start.herd_points();
    for _ in 0..random_in(random, &filter.herds) {
        let herd = point_of(random, herds)?;
        let height = random_in(random, &(2..=HERD));
        *setup.goats.get_mut(herd.index())? = height;
        left = left.checked_sub(height)?;
        (herds, free) = (herds.without(herd), free.without(herd));
    }
    for _ in 0..2 {
        let tiger = point_of(random, free)?;
        setup.tigers = setup.tigers.with(tiger);
        free = free.without(tiger);
    }
    for _ in 0..left {
        let goat = point_of(random, free)?;
        *setup.goats.get_mut(goat.index())? = 1;
        free = free.without(goat);
    }
    let is_white = random.below(2) == 0;
    setup.side = filter.side.unwrap_or(if is_white { Side::White } else { Side::Black });
    Position::new(filter.rules, &setup).ok().filter(|position| position.ending().is_none())
}

/// A random game that is not over and whose last position passes the filter; `None` if this try has made none.
fn game(filter: &Filter, plies: &RangeInclusive<u32>, random: &mut SplitMix64) -> Option<Game> {
    let least = random_in(random, plies);
    let mut game = Game::new(Position::start(filter.rules));
    for ply in 0..=*plies.end() {
        if game.outcome().is_some() {
            return None;
        }
        if ply >= least && filter.allows(game.position()) {
            return Some(game);
        }
        let moves = game.position().legal_moves();
        game.play(*moves.get(random.below(moves.len() as u64) as usize)?);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(rules: &str, goats: RangeInclusive<u32>, herds: RangeInclusive<u32>, side: Option<Side>) -> Filter {
        Filter { rules: RuleSet::named(rules).unwrap(), goats, herds, side }
    }

    #[test]
    fn positions_pass_the_filter() {
        for rules in RuleSet::all() {
            for (goats, herds, side) in
                [(7..=20, 0..=4, None), (7..=7, 1..=1, Some(Side::Black)), (20..=20, 0..=0, Some(Side::White))]
            {
                let filter = filter(rules.name, goats, herds, side);
                let mut random = SplitMix64(3);
                let found: Vec<Position> = (0..2_000).filter_map(|_| position(&filter, &mut random)).collect();
                assert!(found.len() > 20, "{}", rules.name);
                assert!(found.iter().all(|position| filter.allows(position) && !position.legal_moves().is_empty()));
            }
        }
    }

    #[test]
    fn games_end_in_positions_that_pass_the_filter() {
        let filter = filter("super", 1..=19, 0..=4, Some(Side::White));
        let mut random = SplitMix64(3);
        let found: Vec<Game> = (0..100).filter_map(|_| game(&filter, &(5..=30), &mut random)).collect();
        assert!(found.len() > 20);
        assert!(found.iter().all(|game| filter.allows(game.position()) && (5..=30).contains(&game.moves().len())));
    }
}
