//! What an engine reports of a search: the score and the depth of its `info` lines.

/// The last exact score of the best line that an engine has reported in a search, with its depth.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportedInfo {
    pub score: Option<ReportedScore>,
    /// In plies.
    pub depth: Option<u32>,
}

/// A score for the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ReportedScore {
    Centigoats(i32),
    /// A forced end in this number of moves; negative if the side to move loses.
    Mate(i32),
}

/// Greatest score and longest forced end that are told apart from greater ones, so that nothing that an engine sends can
/// overflow.
const MAX_REPORTED: i32 = 1_000_000;

/// A whole number that an engine sends, however long it is, as the nearest one from `-MAX_REPORTED` to `MAX_REPORTED`;
/// `None` if it is no number.
fn bounded(word: &str) -> Option<i32> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i32>().map_or(MAX_REPORTED, |size| size.min(MAX_REPORTED));
    Some(if word.starts_with('-') { -size } else { size })
}

impl ReportedScore {
    /// In centigoats; a forced end is beyond any evaluation, a near one the more so.
    pub fn centigoats(self) -> i32 {
        match self {
            Self::Centigoats(score) => score,
            Self::Mate(moves) if moves > 0 => 30_000 - moves.min(1_000),
            Self::Mate(moves) => -30_000 - moves.max(-1_000),
        }
    }
}

impl ReportedInfo {
    /// Updates from a line of the engine; lines other than `info`, bounds, and lines of a `multipv` other than 1 change
    /// nothing.
    pub fn update(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let (mut depth, mut score) = (None, None);
        while let Some(word) = words.next() {
            match word {
                "string" | "pv" => break,
                "lowerbound" | "upperbound" => return,
                "multipv" if words.next() != Some("1") => return,
                "depth" => depth = words.next().and_then(bounded).and_then(|depth| u32::try_from(depth).ok()),
                "cp" => score = words.next().and_then(bounded).map(ReportedScore::Centigoats),
                "mate" => score = words.next().and_then(bounded).map(ReportedScore::Mate),
                _ => {}
            }
        }
        if score.is_some() {
            *self = Self { score, depth };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exact_score_of_the_best_line_counts() {
        let mut info = ReportedInfo::default();
        for line in [
            "info depth 3 seldepth 5 multipv 1 score cp 12 nodes 7 pv c2b2",
            "info depth 4 multipv 2 score cp -50",
            "info depth 4 score cp 99 lowerbound nodes 3",
            "info string depth 9 score cp 1",
            "info depth 5 currmove c2b2",
            "info depth x score cp",
            "bestmove c2b2",
        ] {
            info.update(line);
        }
        assert_eq!(info, ReportedInfo { score: Some(ReportedScore::Centigoats(12)), depth: Some(3) });
        info.update("info depth 6 score mate -4 pv");
        assert_eq!(info.score, Some(ReportedScore::Mate(-4)));
    }

    #[test]
    fn numbers_beyond_all_bounds_are_cut() {
        let huge = "9".repeat(400);
        for (sent, score) in [
            ("cp -2147483648".to_owned(), ReportedScore::Centigoats(-MAX_REPORTED)),
            ("cp 2147483647".to_owned(), ReportedScore::Centigoats(MAX_REPORTED)),
            (format!("cp -{huge}"), ReportedScore::Centigoats(-MAX_REPORTED)),
            (format!("mate {huge}"), ReportedScore::Mate(MAX_REPORTED)),
            ("mate -2147483648".to_owned(), ReportedScore::Mate(-MAX_REPORTED)),
        ] {
            let mut info = ReportedInfo::default();
            info.update(&format!("info depth {huge} nodes {huge} time {huge} score {sent} pv c2b2"));
            assert_eq!(info, ReportedInfo { score: Some(score), depth: Some(MAX_REPORTED as u32) }, "{sent}");
            assert!(score.centigoats().abs() >= 29_000);
        }
        let mut info = ReportedInfo::default();
        ["cp", "cp -", "cp 1.5", "cp 0x10", "mate +-3"]
            .into_iter()
            .for_each(|sent| info.update(&format!("info score {sent}")));
        assert_eq!(info.score, None);
    }

    #[test]
    fn forced_ends_are_beyond_evaluations() {
        let scores =
            [ReportedScore::Mate(-1), ReportedScore::Mate(-9), ReportedScore::Centigoats(0), ReportedScore::Mate(9)];
        let values = scores.map(ReportedScore::centigoats);
        assert_eq!(values, [-29_999, -29_991, 0, 29_991]);
        assert_eq!(ReportedScore::Mate(0).centigoats(), -30_000);
    }
}
