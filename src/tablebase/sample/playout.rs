//! Positions that games come to: both sides play by a simple rule, now and then at random, each game with a share of
//! randomness of its own.
//!
//! The rule looks one ply ahead and counts goats, tiger steps and goats in danger. It is no part of the engine's evaluation
//! and must not follow it: the same seed has to give the same positions when that changes.

use crate::board::STEPS;
use crate::moves::Move;
use crate::position::Position;
use crate::rng::SplitMix64;
use crate::rules::Side;
use crate::tablebase::probe::{Probe, ProbeError, Tablebase};
use crate::tablebase::sample::record::FirstError;
use crate::tablebase::sample::{Sample, SampleCounts, SampleError, SamplePlan, Unit, in_order};
use crate::tablebase::value::TableValue;
use std::collections::HashSet;

/// Games of a unit.
const UNIT_GAMES: u64 = 1 << 10;
/// Units in a row without a position that passes, after which the search for one ends.
const BARREN_UNITS: u64 = 64;
/// The same in games.
pub(super) const MOST_BARREN: u64 = UNIT_GAMES * BARREN_UNITS;
/// Longest game, in plies.
const MOST_PLIES: u32 = 240;
/// Of so many positions of a game that might be taken one is, on average: neighbours are much alike.
const ONE_OF: u64 = 4;
/// Plies after which a draw counts as held if neither side has erred.
const HELD_PLIES: u32 = 40;

/// Plays the games of a plan, until it has enough positions.
pub(super) fn sample<E: From<SampleError>>(
    plan: &SamplePlan,
    encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync),
    write: &mut impl FnMut(&[u8]) -> Result<(), E>,
    sum: &mut SampleCounts,
) -> Result<(), E> {
    let mut barren = 0;
    if plan.count == 0 {
        return Ok(());
    }
    in_order(
        plan.threads,
        0..u64::MAX,
        |number| unit(plan, number, encode),
        |mut unit| {
            let wanted = plan.count - sum.written;
            unit.counts.written = wanted.min(unit.ends.len() as u64);
            barren = if unit.counts.written == 0 { barren + 1 } else { 0 };
            if barren >= BARREN_UNITS {
                return Err(SampleError::Barren.into());
            }
            sum.add(unit.counts);
            let length = (unit.counts.written as usize).checked_sub(1).and_then(|last| unit.ends.get(last).copied());
            write(unit.bytes.get(..length.unwrap_or(0)).unwrap_or_default())?;
            Ok(sum.written < plan.count)
        },
    )
}

/// The samples of a unit, in the order of its games; each position once.
fn unit(plan: &SamplePlan, number: u64, encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync)) -> Result<Unit, SampleError> {
    let mut known = HashSet::new();
    let mut visits = Vec::new();
    for game in number * UNIT_GAMES..(number + 1).saturating_mul(UNIT_GAMES) {
        let mut random = SplitMix64(SplitMix64::nth(plan.seed, game));
        play(plan, &mut random, &mut visits);
    }
    probe(plan.tables, &mut visits)?;
    find_first_errors(&mut visits);
    let mut unit = Unit::default();
    for Visit { position, is_drawn_out, probe, first_error, .. } in visits {
        let Some(probe) = probe.filter(|_| is_drawn_out && known.insert(position.key())) else { continue };
        let sample = Sample { position: position.without_counters(), probe, moves: None, first_error };
        plan.take(sample, &mut unit, encode)?;
    }
    Ok(unit)
}

/// A position that a game comes to.
struct Visit {
    position: Position,
    /// Whether it is the last one of its game.
    is_last: bool,
    /// Whether it is one of the sample, if it passes.
    is_drawn_out: bool,
    /// Its value and distance, if its table is there.
    probe: Option<Probe>,
    /// Who gives it away first, if it is drawn and that is known.
    first_error: Option<FirstError>,
}

/// Plays a game, and notes its positions.
fn play(plan: &SamplePlan, random: &mut SplitMix64, visits: &mut Vec<Visit>) {
    // In tenths: from one random move in ten to all of them.
    let randomness = 1 + random.below(10);
    let mut position = Position::start(plan.rules());
    for _ in 0..MOST_PLIES {
        if position.ending().is_some() {
            break;
        }
        let is_drawn_out = random.below(ONE_OF) == 0 && plan.allows(&position);
        visits.push(Visit { position, is_last: false, is_drawn_out, probe: None, first_error: None });
        let moves = position.legal_moves();
        let is_random = random.below(10) < randomness;
        let mv = if is_random {
            moves.get(random.below(moves.len() as u64) as usize).copied()
        } else {
            greedy(&position, &moves, random)
        };
        let Some(mv) = mv else { break };
        position = position.play(mv);
    }
    visits.last_mut().into_iter().for_each(|visit| visit.is_last = true);
}

/// Looks the positions up in the order of the tables, so that a block is decoded once.
fn probe(tables: &Tablebase, visits: &mut [Visit]) -> Result<(), SampleError> {
    let mut order: Vec<&mut Visit> = visits.iter_mut().collect();
    order.sort_by_cached_key(|visit| tables.place(&visit.position).ok());
    for visit in order {
        visit.probe = match tables.probe(&visit.position) {
            Err(error @ ProbeError::Damaged(_)) => return Err(SampleError::Probe(error)),
            probe => probe.ok(),
        };
    }
    Ok(())
}

/// Finds who gives each drawn position away first, from the ends of the games on.
fn find_first_errors(visits: &mut [Visit]) {
    // Of the position after the one that is looked at.
    let (mut value_after, mut error_after, mut held_plies) = (None, None, 0);
    for visit in visits.iter_mut().rev() {
        if visit.is_last {
            (value_after, error_after, held_plies) = (None, None, 0);
        }
        let value = visit.probe.map(|probe| probe.value);
        if value == Some(TableValue::DRAW) {
            held_plies = if value_after == value { held_plies + 1 } else { 0 };
            visit.first_error = match (value_after, error_after) {
                (Some(TableValue::DRAW), Some(FirstError::By(side, plies))) => Some(FirstError::By(side, plies + 1)),
                (Some(TableValue::DRAW), _) => (held_plies >= HELD_PLIES).then_some(FirstError::Neither),
                (Some(_), _) => Some(FirstError::By(visit.position.side(), 1)),
                (None, _) => None,
            };
        }
        (value_after, error_after) = (value, visit.first_error);
    }
}

/// The move that leads to the best position, up to a little chance.
fn greedy(position: &Position, moves: &[Move], random: &mut SplitMix64) -> Option<Move> {
    let sign = if position.side() == Side::White { 1 } else { -1 };
    moves.iter().copied().max_by_key(|mv| sign * white_lead(&position.play(*mv)) + random.below(40) as i32)
}

/// How well White stands, in hundredths of a goat.
fn white_lead(position: &Position) -> i32 {
    let free = position.free();
    let of_tiger = |tiger| 8 * (STEPS[tiger] & free).len() as i32 + 40 * position.prey_of(tiger).len() as i32;
    100 * position.goats_alive() as i32 - position.tigers().into_iter().map(of_tiger).sum::<i32>()
}
