//! Labelled positions drawn out of solved tables, in bulk: for training and measuring evaluations.
//!
//! [`uniform`] draws positions by number and reads the tables' blocks in order, each decoded once; [`playout`] plays games
//! with randomness and labels the positions that they come to. Work is cut into units whose positions follow from the
//! seed and the unit's number alone, so the same come of any number of threads.

pub mod exclusion;
pub mod playout;
pub mod record;
pub mod uniform;

use crate::moves::Move;
use crate::parallel::for_each;
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::tablebase::file::FileError;
use crate::tablebase::layer::Layer;
use crate::tablebase::probe::{Probe, ProbeError, Tablebase};
use crate::tablebase::symmetry::canonical;
use crate::tablebase::value::TableValue;
use exclusion::Exclusion;
use record::FirstError;
use std::fmt;
use std::ops::RangeInclusive;

/// Units that are worked on between two rounds of writing, for each thread.
const UNITS_A_THREAD: usize = 4;

/// Where positions are drawn from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SampleSource {
    /// All positions of the tables, each equally likely; those that symmetries turn into each other count each.
    Positions,
    /// The same, but as many from each table, as far as it has them.
    Layers,
    /// The same, but as many for each number of goats, as far as there are.
    Goats,
    /// Positions that games with randomness come to.
    Games,
}

/// What is to be drawn.
pub struct SamplePlan<'a> {
    /// The tables.
    pub tables: &'a Tablebase,
    /// Where positions come from.
    pub source: SampleSource,
    /// How many positions are drawn: of [`SampleSource::Games`] those that pass the filters, of the others all, so that
    /// fewer pass.
    pub count: u64,
    /// What they follow from.
    pub seed: u64,
    /// Goats alive.
    pub goats: RangeInclusive<u32>,
    /// The layers, with those that symmetries turn into them; all if there are none.
    pub layers: Vec<Layer>,
    /// The side to move, if it must be one.
    pub side: Option<Side>,
    /// Whether the moves that keep the value are found.
    pub finds_moves: bool,
    /// Whether only positions pass in which some moves keep the value and some don't.
    pub only_critical: bool,
    /// Whether instead of the positions that pass those after each of their moves are written.
    pub writes_children: bool,
    /// Positions that don't pass.
    pub exclusion: Exclusion,
    /// Threads.
    pub threads: usize,
}

impl SamplePlan<'_> {
    /// The rules of the positions.
    pub const fn rules(&self) -> &'static RuleSet {
        self.tables.rules()
    }

    fn has_layer(&self, layer: Layer) -> bool {
        let image = |layer: &Layer| canonical(self.rules(), *layer).0;
        self.layers.is_empty() || self.layers.iter().any(|own| image(own) == image(&layer))
    }

    /// Whether goats, side and layer are as they should be.
    fn allows(&self, position: &Position) -> bool {
        self.goats.contains(&position.goats_alive())
            && self.side.is_none_or(|side| side == position.side())
            && self.has_layer(Layer::of(position))
    }

    /// A position that is drawn, as a sample; `None`, and counted, if it does not pass.
    fn checked(&self, sample: Sample, counts: &mut SampleCounts) -> Result<Option<Sample>, SampleError> {
        if self.exclusion.has(&sample.position) {
            counts.excluded += 1;
            return Ok(None);
        }
        if !self.finds_moves && !self.only_critical {
            return Ok(Some(sample));
        }
        let Some(moves) = SampleMoves::of(self.tables, &sample.position, sample.probe.value)? else {
            counts.unknown += 1;
            return Ok(None);
        };
        if self.only_critical && moves.best.len() == moves.legal {
            counts.uncritical += 1;
            return Ok(None);
        }
        Ok(Some(Sample { moves: Some(moves), ..sample }))
    }
}

impl SamplePlan<'_> {
    /// Takes what is to be written of a position that is drawn into a unit.
    fn take(
        &self,
        sample: Sample,
        unit: &mut Unit,
        encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync),
    ) -> Result<(), SampleError> {
        let Some(sample) = self.checked(sample, &mut unit.counts)? else { return Ok(()) };
        if !self.writes_children {
            unit.add(&sample, encode);
            return Ok(());
        }
        for mv in sample.position.legal_moves() {
            let child = sample.position.play(mv).without_counters();
            if child.ending().is_some() {
                unit.counts.over += 1;
            } else if self.exclusion.has(&child) {
                unit.counts.excluded += 1;
            } else {
                match self.tables.probe(&child) {
                    Ok(probe) => unit.add(&Sample::new(child, probe), encode),
                    Err(error @ ProbeError::Damaged(_)) => return Err(SampleError::Probe(error)),
                    Err(_) => unit.counts.unknown += 1,
                }
            }
        }
        Ok(())
    }
}

/// A labelled position.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The position, its counters 0 and 1.
    pub position: Position,
    /// Its value and distance.
    pub probe: Probe,
    /// What its moves do, if that was wanted.
    pub moves: Option<SampleMoves>,
    /// Who gives a draw away first in the game that it is from, if it is from one and that is known.
    pub first_error: Option<FirstError>,
}

impl Sample {
    const fn new(position: Position, probe: Probe) -> Self {
        Self { position, probe, moves: None, first_error: None }
    }
}

/// The moves of a labelled position.
#[derive(Clone, Debug)]
pub struct SampleMoves {
    /// Those that keep the value.
    pub best: Vec<Move>,
    /// Number of legal moves.
    pub legal: usize,
}

impl SampleMoves {
    /// The moves of a position with a value; `None` if tables that they lead to are missing.
    fn of(tables: &Tablebase, position: &Position, value: TableValue) -> Result<Option<Self>, SampleError> {
        let moves = position.legal_moves();
        let mut best = Vec::new();
        for mv in &moves {
            match tables.probe_value(&position.play(*mv)) {
                Ok(after) if after == value => best.push(*mv),
                Ok(_) => {}
                Err(error @ ProbeError::Damaged(_)) => return Err(SampleError::Probe(error)),
                Err(_) => return Ok(None),
            }
        }
        if best.is_empty() {
            let what = "no move keeps the value of a position".to_owned();
            return Err(SampleError::Table(Layer::of(position), FileError::Damaged(what)));
        }
        Ok(Some(Self { best, legal: moves.len() }))
    }
}

/// What became of the positions that were drawn.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct SampleCounts {
    /// Written.
    pub written: u64,
    /// Left out, since the game is over there.
    pub over: u64,
    /// Left out, being excluded.
    pub excluded: u64,
    /// Left out, since all moves keep the value.
    pub uncritical: u64,
    /// Left out, since tables that the moves lead to are missing.
    pub unknown: u64,
    /// Wanted, but there are no more positions of their layer or number of goats.
    pub missing: u64,
}

impl SampleCounts {
    fn add(&mut self, other: Self) {
        self.written += other.written;
        self.over += other.over;
        self.excluded += other.excluded;
        self.uncritical += other.uncritical;
        self.unknown += other.unknown;
        self.missing += other.missing;
    }
}

/// Why nothing more can be drawn.
#[derive(Debug)]
pub enum SampleError {
    /// A layer's table can't be read or is damaged.
    Table(Layer, FileError),
    /// The same, when it was probed.
    Probe(ProbeError),
    /// No table has positions that pass.
    Nothing,
    /// Many games in a row have come to no position that passes.
    Barren,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(layer, error) => write!(f, "the table of layer {layer}: {error}"),
            Self::Probe(error) => write!(f, "{error}"),
            Self::Nothing => f.write_str("no table has such positions"),
            Self::Barren => {
                write!(f, "of {} games in a row none has come to a position that passes", playout::MOST_BARREN)
            }
        }
    }
}

impl std::error::Error for SampleError {}

/// What a unit gives: the encoded samples one after another, and where each ends.
#[derive(Default)]
struct Unit {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    counts: SampleCounts,
}

impl Unit {
    fn add(&mut self, sample: &Sample, encode: &(impl Fn(&Sample, &mut Vec<u8>) + Sync)) {
        encode(sample, &mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

/// Draws samples. Each is encoded by `encode`, in any thread; `write` gets the bytes of many of them, in order.
///
/// # Errors
/// Says which table is damaged, or that there are no positions; or the first error of `write`.
pub fn sample<E: From<SampleError>>(
    plan: &SamplePlan,
    encode: impl Fn(&Sample, &mut Vec<u8>) + Sync,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<SampleCounts, E> {
    let mut sum = SampleCounts::default();
    if uniform::is_empty(plan) {
        return Err(SampleError::Nothing.into());
    }
    if plan.source == SampleSource::Games {
        playout::sample(plan, &encode, &mut write, &mut sum)?;
    } else {
        uniform::sample(plan, &encode, &mut write, &mut sum)?;
    }
    Ok(sum)
}

/// Works on units, many side by side, and hands them on in order until `each` returns false.
fn in_order<E: From<SampleError>>(
    threads: usize,
    units: std::ops::Range<u64>,
    work: impl Fn(u64) -> Result<Unit, SampleError> + Sync,
    mut each: impl FnMut(Unit) -> Result<bool, E>,
) -> Result<(), E> {
    let round = threads.max(1) * UNITS_A_THREAD;
    let mut first = units.start;
    while first < units.end {
        let last = units.end.min(first.saturating_add(round as u64));
        let mut done: Vec<Option<Result<Unit, SampleError>>> = (first..last).map(|_| None).collect();
        for_each(threads, done.iter_mut().zip(first..), |(place, number)| *place = Some(work(number)));
        for unit in done.into_iter().flatten() {
            if !each(unit?)? {
                return Ok(());
            }
        }
        first = last;
    }
    Ok(())
}
