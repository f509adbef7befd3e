//! Where terms lead from word to word, written down once: where most high parts are left out, looking for those that a
//! term can move costs more than moving them. Terms of many pairs share a list.

use super::field::Grid;
use super::term::Term;
use std::collections::HashMap;

/// Most links that are made; each takes 4 bytes, and a layer whose lists don't fit the cache does better without.
const MOST: usize = 1 << 23;

/// One way from word to word: each block's words that can move so, and where to.
#[derive(Debug, Default)]
struct Way {
    /// Where each block's links begin; one more at the end.
    starts: Vec<u32>,
    /// Both words, as numbers within their blocks.
    links: Vec<(u16, u16)>,
}

/// The ways of a layer's terms.
#[derive(Debug, Default)]
pub struct Links {
    ways: Vec<Way>,
}

impl Links {
    /// Writes down where the terms lead within a layer, and tells each its way; does nothing if that is too much.
    pub fn new(grid: &Grid, terms: &mut [Vec<Term>]) -> Self {
        let mut links = Self::default();
        if grid.is_dense() {
            return links;
        }
        let (mut known, mut count) = (HashMap::new(), 0);
        for term in terms.iter_mut().flatten() {
            let next = links.ways.len() as u32;
            let number = *known.entry((term.care, term.set, term.change)).or_insert(next);
            if number == next {
                let way = Way::new(grid, term);
                count += way.links.len();
                links.ways.push(way);
            }
            if count > MOST {
                terms.iter_mut().flatten().for_each(|term| term.links = None);
                return Self::default();
            }
            term.links = Some(number);
        }
        links
    }

    /// The links of a term from a block: words of the block and of the one that the term leads to.
    #[inline]
    pub fn of(&self, term: &Term, block: usize) -> Option<&[(u16, u16)]> {
        let way = self.ways.get(term.links? as usize)?;
        let (start, end) = (*way.starts.get(block)?, *way.starts.get(block + 1)?);
        way.links.get(start as usize..end as usize)
    }
}

impl Way {
    fn new(grid: &Grid, term: &Term) -> Self {
        let mut way = Self { starts: vec![0], links: Vec::new() };
        for block in 0..grid.blocks().len() {
            let first = grid.target_block(term, block).map_or(0, |target| grid.first_of(target));
            for (number, high) in grid.highs_of(block).iter().enumerate() {
                if let Some(target) = term.target(*high).and_then(|high| grid.number(high)) {
                    way.links.push((number as u16, (target - first) as u16));
                }
            }
            way.starts.push(way.links.len() as u32);
        }
        way
    }
}
