//! Scoreboards and other lines of a match as text, in the words and order of fastchess, so that scripts made for
//! it read ours, and some lines of our own that its scripts pass over.
//! Functions named `..._line` return one line without its end, the others whole lines. A figure
//! that doesn't exist is `nan` and an unbounded one `inf`, as fastchess has it; `caution_line` then
//! says in words what is known. Nothing is printed here. Source of the formats: fastchess
//! `output_fastchess.hpp`; of the lines by side: cutechess `tournament.cpp`.

use crate::game::GameResult;
use crate::notation::match_record::result_text;
use crate::tournament::elo::{Estimate, Figures};
use crate::tournament::limits::MainLimit;
use crate::tournament::schedule::GameNumber;
use crate::tournament::sprt::{Sprt, SprtStatus};
use crate::tournament::tally::{Pentanomial, PointsTally, Sides, Trinomial};

/// Line above and below each scoreboard.
pub const SEPARATOR: &str = "--------------------------------------------------";

/// Last line of a match that was played to its end without a sequential test.
pub const FINISHED: &str = "Tournament finished";

/// Least width of the names in the rank table, in characters.
const NAME_WIDTH: usize = 25;

/// An engine as the first line of a scoreboard describes it.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    pub name: &'a str,
    /// `None` if nobody knows it, as of games of others.
    pub limit: Option<MainLimit>,
    /// `None` if the engine has no such option.
    pub threads: Option<u64>,
    /// Hash table in MB; `None` if the engine has no such option.
    pub hash_mb: Option<u64>,
}

/// The content of the scoreboard of a match between two engines.
#[derive(Clone, Copy, Debug)]
pub struct HeadToHead<'a> {
    pub first: Contender<'a>,
    pub second: Contender<'a>,
    /// Name or path of the file with the openings.
    pub openings: Option<&'a str>,
    /// As the first engine sees them.
    pub pairs: Pentanomial,
    pub sprt: Option<Sprt>,
    /// The first engine's games by side.
    pub sides: Sides,
    /// Names of the scored rule sets, and the totals in them.
    pub points: &'a [(&'a str, PointsTally)],
}

/// An engine in a tournament of more than two, with its results against all others.
#[derive(Clone, Copy, Debug)]
pub struct Entrant<'a> {
    pub name: &'a str,
    pub pairs: Pentanomial,
}

/// The scoreboard of a match between two engines, between separators: fastchess's lines, then ours.
pub fn head_to_head(scoreboard: &HeadToHead<'_>) -> String {
    let HeadToHead { first, second, pairs, .. } = scoreboard;
    let figures = pairs.figures();
    let mut lines = vec![
        results_line(first, second, scoreboard.openings),
        elo_line(figures.as_ref()),
        los_line(pairs),
        games_line(&pairs.wdl()),
        pairs_line(pairs),
    ];
    if let Some(sprt) = &scoreboard.sprt {
        lines.push(llr_line(sprt, sprt.llr(pairs)));
    }
    lines.extend(caution_line(figures.as_ref()));
    lines.extend(side_lines(first.name, &scoreboard.sides));
    let points = scoreboard.points.iter();
    lines.extend(points.map(|(rules, points)| points_line(rules, first.name, second.name, points)));
    between_separators(&lines)
}

/// The scoreboard of a tournament of more than two engines, between separators. The figures of an
/// engine are those against its own opponents, best Elo first.
pub fn rank_table(entrants: &[Entrant<'_>]) -> String {
    let mut ranked: Vec<(Option<Figures>, &Entrant<'_>)> =
        entrants.iter().map(|entrant| (entrant.pairs.figures(), entrant)).collect();
    let elo = |figures: &Option<Figures>| figures.map_or(f64::NEG_INFINITY, |f| f.elo.value);
    ranked.sort_by(|(a, _), (b, _)| {
        let by_elo = elo(b).total_cmp(&elo(a));
        by_elo.then(b.is_some().cmp(&a.is_some()))
    });
    let name_width = entrants.iter().map(|entrant| entrant.name.chars().count()).fold(NAME_WIDTH, usize::max);
    let mut lines = vec![format!(
        "{:<4} {:<name_width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>20}",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw", "Ptnml(0-2)",
    )];
    let rows = (1..).zip(&ranked);
    lines.extend(rows.map(|(rank, (figures, entrant))| rank_row(rank, figures.as_ref(), entrant, name_width)));
    between_separators(&lines)
}

fn rank_row(rank: usize, figures: Option<&Figures>, entrant: &Entrant<'_>, width: usize) -> String {
    let (elo, elo_error) = value_and_error(figures.map(|f| f.elo));
    let (nelo, nelo_error) = value_and_error(figures.map(|f| f.nelo));
    let games = entrant.pairs.wdl();
    let pairs = penta(&entrant.pairs);
    format!(
        "{rank:>4} {:<width$} {elo:>10} {elo_error:>10} {nelo:>10} {nelo_error:>10} \
         {:>10} {:>9}% {:>9}% {pairs:>20}",
        entrant.name,
        games.games(),
        percent(games.score(), 1),
        percent(entrant.pairs.draw_ratio(), 1),
    )
}

/// `Results of A vs B (8+0.08, 1t, 16MB, book.epd):`
fn results_line(first: &Contender<'_>, second: &Contender<'_>, openings: Option<&str>) -> String {
    let both = |text: &dyn Fn(&Contender<'_>) -> String| {
        let (one, other) = (text(first), text(second));
        if one == other { one } else { format!("{one} - {other}") }
    };
    let known = |text: Option<String>| text.unwrap_or_else(|| "NULL".to_owned());
    let option = |value: Option<u64>, unit: &str| known(value.map(|value| format!("{value}{unit}")));
    let book =
        openings.and_then(|path| path.rsplit(['/', '\\']).next()).map_or_else(String::new, |name| format!(", {name}"));
    format!(
        "Results of {} vs {} ({}, {}, {}{book}):",
        first.name,
        second.name,
        both(&|engine| known(engine.limit.map(|limit| limit.to_string()))),
        both(&|engine| option(engine.threads, "t")),
        both(&|engine| option(engine.hash_mb, "MB")),
    )
}

/// `Elo: 18.04 +/- 8.23, nElo: 28.19 +/- 12.84`
pub fn elo_line(figures: Option<&Figures>) -> String {
    let (elo, elo_error) = value_and_error(figures.map(|f| f.elo));
    let (nelo, nelo_error) = value_and_error(figures.map(|f| f.nelo));
    format!("Elo: {elo} +/- {elo_error}, nElo: {nelo} +/- {nelo_error}")
}

/// `LOS: 100.00 %, DrawRatio: 43.35 %, PairsRatio: 1.36`
fn los_line(pairs: &Pentanomial) -> String {
    let los = percent(pairs.figures().map(|figures| figures.los), 2);
    let draws = percent(pairs.draw_ratio(), 2);
    format!("LOS: {los} %, DrawRatio: {draws} %, PairsRatio: {}", fixed(pairs.pairs_ratio(), 2))
}

/// `Games: 2814, Wins: 816, Losses: 670, Draws: 1328, Points: 1480.0 (52.59 %)`
fn games_line(games: &Trinomial) -> String {
    format!(
        "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({} %)",
        games.games(),
        games.wins,
        games.losses,
        games.draws,
        games.points(),
        percent(games.score(), 2),
    )
}

/// `Ptnml(0-2): [50, 287, 610, 387, 73], WL/DD Ratio: 0.87`
fn pairs_line(pairs: &Pentanomial) -> String {
    format!("Ptnml(0-2): {}, WL/DD Ratio: {}", penta(pairs), fixed(pairs.wl_dd_ratio(), 2))
}

/// `LLR: 2.91 (100.6%) (-2.25, 2.89) [0.00, 3.00]`
fn llr_line(sprt: &Sprt, llr: f64) -> String {
    format!(
        "LLR: {} ({}%) ({:.2}, {:.2}) {}",
        fixed(Some(llr), 2),
        percent(Some(sprt.fraction(llr)), 1),
        sprt.lower_bound(),
        sprt.upper_bound(),
        hypotheses(sprt)
    )
}

/// `SPRT ([0.00, 5.00]) completed - H1 was accepted`. For a test that the games didn't suffice for,
/// a line of ours that says so.
pub fn verdict_line(sprt: &Sprt, status: SprtStatus) -> String {
    let verdict = match status {
        SprtStatus::AcceptH0 => "completed - H0 was accepted",
        SprtStatus::AcceptH1 => "completed - H1 was accepted",
        SprtStatus::Continue => "not completed - neither hypothesis was accepted",
    };
    format!("SPRT ({}) {verdict}", hypotheses(sprt))
}

/// `Started game 3 of 200 (A vs B)`, White first.
pub fn started_line(number: GameNumber, total: u64, white: &str, black: &str) -> String {
    format!("Started game {number} of {total} ({white} vs {black})")
}

/// `Finished game 3 (A vs B): 1-0 {reason}`, White first. The result is White's.
pub fn finished_line(number: GameNumber, white: &str, black: &str, result: GameResult, reason: &str) -> String {
    let result = result_text(Some(result));
    format!("Finished game {number} ({white} vs {black}): {result} {{{reason}}}")
}

/// A line for results whose Elo line has no error: there are none yet, or the interval has an open end.
fn caution_line(figures: Option<&Figures>) -> Option<String> {
    let Some(figures) = figures else {
        return Some("No result counts yet.".to_owned());
    };
    let interval = figures.elo_interval;
    figures
        .elo
        .error
        .is_none()
        .then(|| format!("Elo interval (95 %): [{}, {}]", fixed(Some(interval.low), 2), fixed(Some(interval.high), 2)))
}

/// The first engine with either side, and White against Black, in the lines of cutechess: won,
/// lost, drawn, score, games. A side not played yet has no line.
fn side_lines(first: &str, sides: &Sides) -> Vec<String> {
    let rows = [
        (format!("{first} playing White"), sides.as_white),
        (format!("{first} playing Black"), sides.as_black),
        ("White vs Black".to_owned(), sides.white_vs_black()),
    ];
    let line = |(who, games): (String, Trinomial)| {
        games.score().map(|score| {
            format!(
                "...      {who}: {} - {} - {}  [{score:.3}] {}",
                games.wins,
                games.losses,
                games.draws,
                games.games()
            )
        })
    };
    rows.into_iter().filter_map(line).collect()
}

/// Totals in a scored rule set:
/// `Points in super: A 231 - 214 B, matches: 9 won, 7 lost, 4 drawn`
pub fn points_line(rules: &str, first: &str, second: &str, points: &PointsTally) -> String {
    format!(
        "Points in {rules}: {first} {} - {} {second}, matches: {} won, {} lost, {} drawn",
        points.first, points.second, points.matches.wins, points.matches.losses, points.matches.draws
    )
}

fn between_separators(lines: &[String]) -> String {
    format!("{SEPARATOR}\n{}\n{SEPARATOR}\n", lines.join("\n"))
}

fn penta(pairs: &Pentanomial) -> String {
    format!("{:?}", pairs.counts())
}

fn hypotheses(sprt: &Sprt) -> String {
    let [elo0, elo1] = [sprt.elo0(), sprt.elo1()].map(|elo| fixed(Some(elo), 2));
    format!("[{elo0}, {elo1}]")
}

fn value_and_error(estimate: Option<Estimate>) -> (String, String) {
    let error = estimate.and_then(|estimate| estimate.error);
    (fixed(estimate.map(|estimate| estimate.value), 2), fixed(error, 2))
}

fn percent(share: Option<f64>, decimals: usize) -> String {
    fixed(share.map(|share| 100.0 * share), decimals)
}

/// The number with this many decimals, `inf`, `-inf`, or `nan` for none. Zero has no sign.
fn fixed(value: Option<f64>, decimals: usize) -> String {
    let Some(value) = value.filter(|value| !value.is_nan()) else {
        return "nan".to_owned();
    };
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::sprt::EloModel;

    fn engine(name: &str, base_ms: u64, increment_ms: u64) -> Contender<'_> {
        Contender {
            name,
            limit: Some(MainLimit::Clock { moves: None, base_ms, increment_ms }),
            threads: Some(1),
            hash_mb: Some(16),
        }
    }

    fn scoreboard<'a>(first: Contender<'a>, second: Contender<'a>, pairs: Pentanomial) -> HeadToHead<'a> {
        HeadToHead {
            first,
            second,
            openings: Some("books/UHO_Lichess_4852_v1.epd"),
            pairs,
            sprt: None,
            sides: Sides::default(),
            points: &[],
        }
    }

    // Published output of fastchess: cinder pull request 802 (2025), sprt elo0=0 elo1=3 alpha=0.05
    // beta=0.10, normalized. The split of the middle class follows from its number of wins.
    #[test]
    fn whole_standing() {
        let pairs = Pentanomial { ll: 363, ld: 3205, wl: 2835, dd: 3026, wd: 3376, ww: 414 };
        let sprt = Sprt::new(0.0, 3.0, 0.05, 0.10, EloModel::Normalized).ok();
        let (dev, base) = (engine("dev", 1000, 10), engine("base", 1000, 10));
        let text = head_to_head(&HeadToHead { sprt, ..scoreboard(dev, base, pairs) });
        assert_eq!(
            text,
            "--------------------------------------------------\n\
             Results of dev vs base (1+0.01, 1t, 16MB, UHO_Lichess_4852_v1.epd):\n\
             Elo: 3.59 +/- 2.53, nElo: 5.93 +/- 4.19\n\
             LOS: 99.72 %, DrawRatio: 44.34 %, PairsRatio: 1.06\n\
             Games: 26438, Wins: 7039, Losses: 6766, Draws: 12633, Points: 13355.5 (50.52 %)\n\
             Ptnml(0-2): [363, 3205, 5861, 3376, 414], WL/DD Ratio: 0.94\n\
             LLR: 2.91 (100.6%) (-2.25, 2.89) [0.00, 3.00]\n\
             --------------------------------------------------\n"
        );
    }

    // Published output of fastchess: pull request 556 (2024), 7000 against 5000 nodes. Its `-nan`
    // is `nan` here, and the interval is ours: 400 log10(0.05^(1/3) / (1 - 0.05^(1/3))).
    #[test]
    fn all_won() {
        let mut odds =
            scoreboard(engine("New", 0, 0), engine("Base", 0, 0), Pentanomial { ww: 3, ..Pentanomial::default() });
        odds.first.limit = Some(MainLimit::Nodes(7000));
        odds.second.limit = Some(MainLimit::Nodes(5000));
        assert_eq!(
            head_to_head(&odds),
            "--------------------------------------------------\n\
             Results of New vs Base (7000 nodes - 5000 nodes, 1t, 16MB, UHO_Lichess_4852_v1.epd):\n\
             Elo: inf +/- nan, nElo: inf +/- nan\n\
             LOS: 100.00 %, DrawRatio: 0.00 %, PairsRatio: inf\n\
             Games: 6, Wins: 6, Losses: 0, Draws: 0, Points: 6.0 (100.00 %)\n\
             Ptnml(0-2): [0, 0, 0, 0, 3], WL/DD Ratio: nan\n\
             Elo interval (95 %): [-93.65, inf]\n\
             --------------------------------------------------\n"
        );
    }

    // Published output of fastchess: pull request 882 (2025), one-sided matches.
    #[test]
    fn nearly_all_lost() {
        let pairs = Pentanomial { ll: 77, ld: 1, ..Pentanomial::default() };
        let figures = pairs.figures();
        assert_eq!(elo_line(figures.as_ref()), "Elo: -997.10 +/- nan, nElo: -4339.56 +/- 54.52");
        assert_eq!(los_line(&pairs), "LOS: 0.00 %, DrawRatio: 0.00 %, PairsRatio: 0.00");
        assert_eq!(games_line(&pairs.wdl()), "Games: 156, Wins: 0, Losses: 155, Draws: 1, Points: 0.5 (0.32 %)");
        assert_eq!(caution_line(figures.as_ref()).as_deref(), Some("Elo interval (95 %): [-inf, -808.24]"));
        let sprt = Sprt::new(-1000.0, -500.0, 0.05, 0.05, EloModel::Normalized);
        assert_eq!(
            sprt.map(|sprt| llr_line(&sprt, sprt.llr(&pairs))).as_deref(),
            Ok("LLR: -2.95 (-100.3%) (-2.94, 2.94) [-1000.00, -500.00]")
        );
    }

    #[test]
    fn nothing_finished() {
        let empty = scoreboard(engine("a", 8000, 80), engine("b", 8000, 80), Pentanomial::default());
        assert_eq!(
            head_to_head(&HeadToHead { openings: None, ..empty }),
            "--------------------------------------------------\n\
             Results of a vs b (8+0.08, 1t, 16MB):\n\
             Elo: nan +/- nan, nElo: nan +/- nan\n\
             LOS: nan %, DrawRatio: nan %, PairsRatio: nan\n\
             Games: 0, Wins: 0, Losses: 0, Draws: 0, Points: 0.0 (nan %)\n\
             Ptnml(0-2): [0, 0, 0, 0, 0], WL/DD Ratio: nan\n\
             No result counts yet.\n\
             --------------------------------------------------\n"
        );
    }

    // Published output of fastchess: issue 1007 (2026), a gauntlet.
    #[test]
    fn gauntlet_table() {
        let entrant =
            |name, [ll, ld, dd, wd, ww]: [u64; 5]| Entrant { name, pairs: Pentanomial { ll, ld, wl: 0, dd, wd, ww } };
        let table = rank_table(&[
            entrant("Reyna 1.0", [4, 5, 4, 0, 0]),
            entrant("Juggernaut 1.40", [3, 4, 4, 1, 0]),
            entrant("Not started", [0; 5]),
            entrant("Juggernaut 1.55", [5, 5, 36, 22, 22]),
            entrant("Chal 1.4.0", [3, 3, 6, 0, 1]),
            entrant("Fatalii 0.10.0", [4, 1, 6, 2, 0]),
            entrant("CT800 v1.46", [1, 3, 4, 1, 4]),
            entrant("Fox Chess 1.0", [2, 2, 9, 0, 0]),
        ]);
        let expected = "\
--------------------------------------------------
Rank Name                             Elo        +/-       nElo        +/-      Games      Score       Draw           Ptnml(0-2)
   1 Juggernaut 1.55               101.21      42.63     128.22      50.76        180      64.2%      40.0%   [5, 5, 36, 22, 22]
   2 CT800 v1.46                    53.88     134.87      57.12     133.55         26      57.7%      30.8%      [1, 3, 4, 1, 4]
   3 Fox Chess 1.0                 -81.65      75.76    -152.04     133.55         26      38.5%      69.2%      [2, 2, 9, 0, 0]
   4 Chal 1.4.0                    -95.90     115.14    -122.22     133.55         26      36.5%      46.2%      [3, 3, 6, 0, 1]
   5 Fatalii 0.10.0                -95.90     115.14    -122.22     133.55         26      36.5%      46.2%      [4, 1, 6, 2, 0]
   6 Juggernaut 1.40              -136.97     110.86    -199.37     139.00         24      31.2%      33.3%      [3, 4, 4, 1, 0]
   7 Reyna 1.0                    -190.85     103.99    -313.17     133.55         26      25.0%      30.8%      [4, 5, 4, 0, 0]
   8 Not started                      nan        nan        nan        nan          0       nan%       nan%      [0, 0, 0, 0, 0]
--------------------------------------------------
";
        assert_eq!(table, expected);
    }

    // Published output of cutechess: talkchess.com, viewtopic t=84211 (2024).
    #[test]
    fn lines_by_side() {
        let sides = Sides {
            as_white: Trinomial { wins: 181, losses: 167, draws: 116 },
            as_black: Trinomial { wins: 183, losses: 179, draws: 102 },
        };
        assert_eq!(
            side_lines("New", &sides),
            [
                "...      New playing White: 181 - 167 - 116  [0.515] 464",
                "...      New playing Black: 183 - 179 - 102  [0.504] 464",
                "...      White vs Black: 360 - 350 - 218  [0.505] 928",
            ]
        );
        assert!(side_lines("New", &Sides::default()).is_empty());
    }

    // Published output of fastchess: pull request 881 and `roundrobin.cpp` (2025).
    #[test]
    fn verdicts() {
        let line = |status| {
            let sprt = Sprt::new(-1500.0, -500.0, 0.05, 0.05, EloModel::Normalized);
            sprt.map(|sprt| verdict_line(&sprt, status))
        };
        assert_eq!(line(SprtStatus::AcceptH0).as_deref(), Ok("SPRT ([-1500.00, -500.00]) completed - H0 was accepted"));
        assert_eq!(line(SprtStatus::AcceptH1).as_deref(), Ok("SPRT ([-1500.00, -500.00]) completed - H1 was accepted"));
        assert_eq!(
            line(SprtStatus::Continue).as_deref(),
            Ok("SPRT ([-1500.00, -500.00]) not completed - neither hypothesis was accepted")
        );
    }

    // Published output of fastchess: pull request 556 (2024); time controls from its man.md.
    #[test]
    fn small_lines() {
        let number = GameNumber(8);
        assert_eq!(started_line(number, 46, "Base", "New"), "Started game 8 of 46 (Base vs New)");
        assert_eq!(
            finished_line(number, "Base", "New", GameResult::Loss, "Black wins by adjudication"),
            "Finished game 8 (Base vs New): 0-1 {Black wins by adjudication}"
        );
        assert!(finished_line(number, "a", "b", GameResult::Draw, "").contains(": 1/2-1/2 {"));
        let forty = MainLimit::Clock { moves: Some(40), base_ms: 60_000, increment_ms: 600 };
        assert_eq!(forty.to_string(), "40/60+0.6");
        assert_eq!(MainLimit::MoveTime(100).to_string(), "0.1/move");
        assert_eq!(MainLimit::Depth(6).to_string(), "6 plies");
        let bare = Contender { threads: None, hash_mb: None, ..engine("a", 10_000, 100) };
        let unknown = Contender { limit: None, ..bare };
        assert_eq!(results_line(&unknown, &unknown, None), "Results of a vs a (NULL, NULL, NULL):");
        assert_eq!(
            results_line(&bare, &engine("b", 10_000, 100), None),
            "Results of a vs b (10+0.1, NULL - 1t, NULL - 16MB):"
        );
    }

    #[test]
    fn points_of_matches() {
        let mut points = PointsTally::default();
        points.add_match(10 + 12, 0);
        points.add_match(10, 10);
        assert_eq!(
            points_line("super", "dev", "base", &points),
            "Points in super: dev 32 - 10 base, matches: 1 won, 0 lost, 1 drawn"
        );
    }

    #[test]
    fn no_negative_zero() {
        assert_eq!(fixed(Some(-0.001), 2), "0.00");
        assert_eq!(fixed(Some(-0.01), 2), "-0.01");
        assert_eq!(fixed(Some(f64::NEG_INFINITY), 2), "-inf");
        assert_eq!(fixed(None, 2), "nan");
    }
}
