//! What a search prints, read strictly.

use std::time::Duration;

/// A score as a client reads it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a goat.
    Cp(i64),
    /// Moves (UCI) or plies (UGI) to the end.
    Mate(i64),
}

/// An `info` line of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Plies.
    pub depth: u64,
    /// Which line, from 1.
    pub multipv: u64,
    /// The mover's score.
    pub score: Score,
    /// Whether it is a bound only.
    pub is_bound: bool,
    /// Win, draw, loss in thousandths.
    pub wdl: Option<[u64; 3]>,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// Thousandths of the table in use.
    pub hashfull: u64,
    /// Milliseconds so far.
    pub time: u64,
    /// Moves.
    pub pv: Vec<String>,
    /// The line without `nps` and `time`, which no two runs share.
    pub timeless: String,
}

/// Takes a number off the front of words.
fn number<T: std::str::FromStr>(words: &mut std::slice::Iter<&str>, what: &str) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("{what}: nothing behind it"))?;
    word.parse().map_err(|_| format!("{what}: '{word}' is no whole number in range"))
}

impl Info {
    /// Reads a line, strictly: only words that `protocol.md` knows, each at most once, the pv last.
    pub fn read(line: &str) -> Result<Self, String> {
        let all: Vec<&str> = line.split(' ').collect();
        let mut words = all.iter();
        if words.next() != Some(&"info") {
            return Err("not an info".to_owned());
        }
        let (mut seen, mut timeless) = (Vec::new(), Vec::new());
        let mut info = Self {
            depth: 0,
            multipv: 0,
            score: Score::Cp(0),
            is_bound: false,
            wdl: None,
            nodes: 0,
            nps: 0,
            hashfull: 0,
            time: 0,
            pv: Vec::new(),
            timeless: String::new(),
        };
        while let Some(word) = words.next() {
            if seen.contains(word) {
                return Err(format!("'{word}' twice"));
            }
            seen.push(word);
            let rest_before = words.as_slice().len() + 1;
            info.read_value(word, &mut words)?;
            if !matches!(*word, "nps" | "time") {
                let from = all.len() - rest_before;
                timeless.extend_from_slice(&all[from..all.len() - words.as_slice().len()]);
            }
        }
        for word in ["depth", "seldepth", "multipv", "score", "nodes", "nps", "time"] {
            if !seen.contains(&word) {
                return Err(format!("no '{word}'"));
            }
        }
        if info.hashfull > 1000 {
            return Err(format!("hashfull {}", info.hashfull));
        }
        info.timeless = timeless.join(" ");
        Ok(info)
    }

    /// Reads what stands behind a word.
    fn read_value(&mut self, word: &str, words: &mut std::slice::Iter<&str>) -> Result<(), String> {
        match word {
            "depth" => self.depth = number(words, word)?,
            "seldepth" => drop(number::<u64>(words, word)?),
            "multipv" => self.multipv = number(words, word)?,
            "score" => {
                self.score = match words.next() {
                    Some(&"cp") => Score::Cp(number(words, "cp")?),
                    Some(&"mate") => Score::Mate(number(words, "mate")?),
                    other => return Err(format!("score {other:?}")),
                };
            }
            "lowerbound" | "upperbound" => self.is_bound = true,
            "wdl" => {
                let wdl = [number(words, word)?, number(words, word)?, number(words, word)?];
                if wdl.iter().sum::<u64>() != 1000 {
                    return Err(format!("wdl {wdl:?} is not 1000 in all"));
                }
                self.wdl = Some(wdl);
            }
            "nodes" => self.nodes = number(words, word)?,
            "nps" => self.nps = number(words, word)?,
            "tbhits" => drop(number::<u64>(words, word)?),
            "hashfull" => self.hashfull = number(words, word)?,
            "time" => self.time = number(words, word)?,
            "pv" => {
                self.pv = words.by_ref().map(|mv| (*mv).to_owned()).collect();
                if self.pv.is_empty() || !self.pv.iter().all(|mv| is_move(mv)) {
                    return Err(format!("pv {:?}", self.pv));
                }
            }
            other => return Err(format!("unknown word '{other}'")),
        }
        Ok(())
    }
}

/// Whether a line says which move is searched: `info depth N currmove M currmovenumber K`.
pub fn is_current_move(line: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["info", "depth", depth, "currmove", mv, "currmovenumber", number] => {
            is_number(depth) && is_move(mv) && is_number(number)
        }
        _ => false,
    }
}

/// Whether a text has the form of a move: two points or more.
pub fn is_move(text: &str) -> bool {
    let is_point = |point: &[u8]| matches!(point, [b'a'..=b'e', b'1'..=b'5']);
    text.len() >= 4 && text.len().is_multiple_of(2) && text.as_bytes().chunks(2).all(is_point)
}

/// The lines of a search from `go` to `bestmove`.
#[derive(Clone, Debug)]
pub struct SearchOutput {
    /// Its infos, at least one.
    pub infos: Vec<Info>,
    /// Its `info string` lines.
    pub strings: Vec<String>,
    /// The number of `currmove` lines.
    pub current_moves: usize,
    /// The move, or `(none)`.
    pub best: String,
    /// The reply it expects.
    pub ponder: Option<String>,
    /// From `go` to `bestmove`.
    pub time: Duration,
}

impl SearchOutput {
    /// Reads a search's lines and checks what holds for every search.
    pub(super) fn read(infos: &[String], strings: Vec<String>, last: &str, time: Duration) -> Result<Self, String> {
        let read = |line: &String| Info::read(line).map_err(|why| format!("{why} in: {line}"));
        let infos = infos.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let words: Vec<&str> = last.split(' ').collect();
        let (best, ponder) = match words.as_slice() {
            ["bestmove", best] => (*best, None),
            ["bestmove", best, "ponder", reply] => (*best, Some((*reply).to_owned())),
            _ => return Err(format!("malformed: {last}")),
        };
        if best != "(none)" && !is_move(best) {
            return Err(format!("no move: {last}"));
        }
        let answer = Self { infos, strings, current_moves: 0, best: best.to_owned(), ponder, time };
        answer.check().map(|()| answer)
    }

    fn check(&self) -> Result<(), String> {
        let last = self.infos.last().ok_or("bestmove without an info")?;
        let first_line = self.infos.iter().rfind(|info| info.multipv == 1).ok_or("no info with multipv 1")?;
        if first_line.pv.first().map_or("(none)", String::as_str) != self.best {
            return Err(format!("bestmove {} is not the pv's first {:?}", self.best, first_line.pv));
        }
        if first_line.is_bound || last.is_bound {
            return Err("the last info is a bound only".to_owned());
        }
        if !self.infos.iter().is_sorted_by_key(|info| info.nodes)
            || !self.infos.iter().is_sorted_by_key(|info| info.time)
        {
            return Err("nodes or time run backwards".to_owned());
        }
        Ok(())
    }

    /// The last info of the best line.
    pub fn last(&self) -> &Info {
        self.infos.iter().rfind(|info| info.multipv == 1).unwrap()
    }

    /// The infos without what no two runs share, which bounds are as well: they come after a second only.
    pub fn timeless(&self) -> Vec<&str> {
        self.infos.iter().filter(|info| !info.is_bound).map(|info| info.timeless.as_str()).collect()
    }
}
