//! One step: what one ply does to the set of the side to move, row by row.

use crate::parallel::for_each;
use crate::rules::Side;
use crate::tablebase::layout::Layout;
use crate::tablebase::solver::Question;
use crate::tablebase::solver::sets::{Known, Row, Set};
use crate::tablebase::solver::turn::Turn;
use crate::tablebase::solver::ways::{Source, Ways};
use crate::tablebase::vector::{NONE, Vector, both, count, join, without};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A pair of tigers that is worked out.
pub struct Pair {
    /// Its number.
    pub number: usize,
    /// The pairs that symmetries turn it into.
    pub turns: Vec<Turn>,
    /// White's moves: into the positions with Black to move, and into those of the finished layers.
    pub white: Ways,
    /// Black's moves: into the positions with White to move, and to the captures.
    pub black: Ways,
}

/// What a step does to the set of the side to move.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Step {
    /// Those that have a move into the other set are won, and no more open.
    Attack,
    /// Those that have none are lost.
    Defend,
}

/// A row that is worked out, what is known of it, and the rows that symmetries turn it into.
pub struct Lead<'a> {
    pair: &'a Pair,
    row: &'a mut Row,
    known: &'a mut Known,
    images: Vec<(&'a mut Row, &'a Turn)>,
}

/// The rows of a set that are worked out, with the images of them that the set has too.
pub fn leads<'a>(
    set: &'a mut Set,
    pairs: &'a [Pair],
    known: &'a mut [Known],
    turns: impl Fn(&Pair) -> &[Turn] + Send,
) -> impl Iterator<Item = Lead<'a>> + Send {
    let mut rows: Vec<Option<&mut Row>> = set.rows.iter_mut().map(Some).collect();
    pairs.iter().zip(known).filter_map(move |(pair, known)| {
        let row = rows.get_mut(pair.number)?.take()?;
        let images = turns(pair).iter().filter_map(|turn| Some((rows.get_mut(turn.row)?.take()?, turn))).collect();
        Some(Lead { pair, row, known, images })
    })
}

/// What is done in one step to every row of a set.
pub struct Work<'a> {
    /// The arrangement of the layer.
    pub layout: &'a Layout,
    /// Threads that work.
    pub threads: usize,
    /// The question.
    pub question: Question,
    /// What the step does.
    pub step: Step,
    /// The ply that it is.
    pub ply: u32,
    /// The time that changes are given.
    pub now: u32,
    /// Whether the ply of what is found is kept.
    pub keeps_distances: bool,
}

impl Work<'_> {
    /// Works out all rows, whose moves lead to the sources; how many positions were found. With fewer than `least` goats
    /// the game is over, whatever the moves.
    pub fn all<'l>(
        &self,
        leads: impl Iterator<Item = Lead<'l>> + Send,
        sources: &[Source],
        ways: impl Fn(&Pair) -> &Ways + Sync,
        least: u32,
    ) -> u64 {
        let sum = AtomicU64::new(0);
        for_each(self.threads, leads, |lead| {
            let ways = ways(lead.pair);
            sum.fetch_add(self.row(lead, sources, ways, least), Relaxed);
        });
        sum.into_inner()
    }

    /// Works out the chunks of a row whose moves lead to chunks that have changed.
    fn row(&self, mut lead: Lead, sources: &[Source], ways: &Ways, least: u32) -> u64 {
        let chunks = self.layout.chunks();
        let since = lead.row.done();
        let mut marks = vec![since == 0; chunks.count()];
        if since > 0 {
            ways.mark(sources, chunks, since, &mut marks);
        }
        let mut found = vec![NONE; chunks.size()];
        let mut sum = 0;
        for chunk in marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(chunk, _)| chunk) {
            if self.candidates(lead.row, chunk).any(|candidates| candidates != NONE) {
                found.fill(NONE);
                match self.step {
                    Step::Attack => ways.gather(sources, chunks, chunk, since, &mut found),
                    Step::Defend => {
                        ways.gather(sources, chunks, chunk, 0, &mut found);
                        for (found, high) in found.iter_mut().zip(chunks.highs_of(chunk)) {
                            *found = without(*found, self.layout.fewer(high, least));
                        }
                    }
                }
                sum += self.settle(&mut lead, chunk, &found);
            }
        }
        lead.row.note(self.now);
        sum
    }

    /// The members of a chunk's vectors that may be found: open ones, or those not lost yet.
    fn candidates<'r>(&'r self, row: &'r Row, chunk: usize) -> impl Iterator<Item = Vector> + 'r {
        let chunks = self.layout.chunks();
        row.chunk(chunk, chunks.size()).iter().zip(chunks.highs_of(chunk)).map(|(set, high)| self.candidate(*set, high))
    }

    #[inline]
    fn candidate(&self, set: Vector, high: u32) -> Vector {
        match (self.step, self.question.attacker) {
            (Step::Attack, _) => set,
            (Step::Defend, Side::White) => without(self.layout.at_least(high, self.question.goats), set),
            (Step::Defend, Side::Black) => without(self.layout.valid(high), set),
        }
    }

    /// Puts a chunk's new set in place; how many positions were found.
    fn settle(&self, lead: &mut Lead, chunk: usize, found: &[Vector]) -> u64 {
        let chunks = self.layout.chunks();
        let (first, row_size) = (chunk * chunks.size(), chunks.row_size());
        let mut sum = 0;
        let set = lead.row.chunk_mut(chunk, chunks.size());
        for (number, ((vector, found), high)) in set.iter_mut().zip(found).zip(chunks.highs_of(chunk)).enumerate() {
            let candidates = self.candidate(*vector, high);
            let new = match self.step {
                Step::Attack => both(candidates, *found),
                Step::Defend => without(candidates, *found),
            };
            if new == NONE {
                continue;
            }
            sum += u64::from(count(new));
            *vector = join(*vector, new, |old, new| old ^ new);
            for (image, turn) in &mut lead.images {
                turn.toggle(high, new, image, chunks, self.now);
            }
            lead.known.classes.put(first + number, row_size, new, u32::from(self.question.value.class()));
            if self.keeps_distances {
                lead.known.halves.put(first + number, row_size, new, self.ply / 2);
            }
        }
        if sum > 0 {
            lead.row.touch(chunk, self.now);
        }
        sum
    }
}
