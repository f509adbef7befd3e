//! Where a match stands: the results with what they prove, as text and as JSON. Pure.

use crate::json::Json;
use crate::rules::RuleSet;
use crate::tournament::report::{self, Contender, Entrant, HeadToHead};
use crate::tournament::results::{MatchResults, PairingResults};
use crate::tournament::sprt::{Sprt, SprtStatus};
use crate::tournament::stats::{Figures, PairTally, PointsTally, Trinomial};

/// All that a standing is told from.
pub struct Scoreboard<'a> {
    /// The engines.
    pub engines: &'a [Contender<'a>],
    /// The rule sets.
    pub rules: &'a [&'static RuleSet],
    /// Name of the file with the openings.
    pub openings: Option<&'a str>,
    /// The test.
    pub sprt: Option<Sprt>,
    /// The counts.
    pub results: &'a MatchResults,
    /// Games that the match has; `None` if nobody knows.
    pub total: Option<u64>,
}

impl Scoreboard<'_> {
    /// The pairing that the test and the progress line look at: the only one of a match of two.
    fn duel(&self) -> Option<(&Contender<'_>, &Contender<'_>, PairingResults)> {
        let [first, second] = self.engines else { return None };
        Some((first, second, self.results.pairings.get(&(0, 1)).cloned().unwrap_or_default()))
    }

    /// The test with what it says now.
    pub fn verdict(&self) -> Option<(Sprt, f64, SprtStatus)> {
        let sprt = self.sprt?;
        let (.., versus) = self.duel()?;
        let llr = sprt.llr(&PairTally::Pairs(versus.pairs));
        Some((sprt, llr, sprt.status(llr)))
    }

    /// The standing as lines between separators.
    pub fn text(&self) -> String {
        if let Some((first, second, versus)) = self.duel() {
            let named = |(&rules, &tally): (&usize, &PointsTally)| Some((self.rules.get(rules)?.name, tally));
            let points: Vec<(&str, PointsTally)> = versus.points.iter().filter_map(named).collect();
            return report::head_to_head(&HeadToHead {
                first: *first,
                second: *second,
                openings: self.openings,
                tally: PairTally::Pairs(versus.pairs),
                sprt: self.sprt,
                sides: versus.sides,
                points: &points,
            }) + &self.fault_lines();
        }
        let entrants: Vec<Entrant<'_>> = (0..)
            .zip(self.engines)
            .map(|(index, engine)| Entrant { name: engine.name, tally: self.results.tally_of(index) })
            .collect();
        report::rank_table(&entrants) + &self.points_lines() + &self.fault_lines()
    }

    /// In a match of many, each pairing's totals in the scored rule sets.
    fn points_lines(&self) -> String {
        let mut text = String::new();
        for (&(first, second), versus) in &self.results.pairings {
            for (rules, tally) in &versus.points {
                let names = (self.engines.get(first), self.engines.get(second), self.rules.get(*rules));
                if let (Some(first), Some(second), Some(rules)) = names {
                    text += &report::points_line(rules.name, first.name, second.name, tally);
                    text.push('\n');
                }
            }
        }
        text
    }

    /// A line for each engine that has lost games by its own fault.
    fn fault_lines(&self) -> String {
        let mut text = String::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let faults = self.results.faults.iter().filter(|((found, _), _)| *found == index);
            let faults: Vec<String> = faults.map(|((_, name), count)| format!("{name} {count}")).collect();
            if !faults.is_empty() {
                text += &format!("Faults of {}: {}\n", engine.name, faults.join(", "));
            }
        }
        text
    }

    /// The counts on one short line, for a terminal.
    pub fn progress(&self) -> String {
        let games = self.results.games();
        let total = self.total.map_or(String::new(), |total| format!("/{total}"));
        let mut text = format!("{games}{total} games");
        if let Some((.., versus)) = self.duel() {
            let tally = PairTally::Pairs(versus.pairs);
            let wdl = tally.wdl();
            text += &format!("  +{} -{} ={}", wdl.wins, wdl.losses, wdl.draws);
            if let Some(elo) = report::elo_line(tally.figures().as_ref()).split(", ").next() {
                text += &format!("  {elo}");
            }
        }
        if let Some((sprt, llr, _)) = self.verdict() {
            text += &format!("  LLR {llr:.2} ({:.2}, {:.2})", sprt.lower_bound(), sprt.upper_bound());
        }
        text
    }

    /// The standing as JSON.
    pub fn json(&self, is_over: bool) -> Json {
        let name = |index: usize| Json::text(self.engines.get(index).map_or("", |engine| engine.name));
        let counts = |counts: Vec<(&String, &u64)>| {
            Json::Object(counts.into_iter().map(|(name, count)| (name.clone(), Json::Count(*count))).collect())
        };
        let engines = self.engines.iter().enumerate().map(|(index, engine)| {
            let faults = self.results.faults.iter().filter(|((found, _), _)| *found == index);
            let faults = faults.map(|((_, name), count)| (name, count)).collect();
            Json::object([
                ("name", Json::text(engine.name)),
                ("limits", Json::text(engine.pace.to_string())),
                ("faults", counts(faults)),
                ("results", tally_json(&self.results.tally_of(index))),
            ])
        });
        let pairings = self.results.pairings.iter().map(|(&(first, second), versus)| {
            Json::object([
                ("first", name(first)),
                ("second", name(second)),
                ("results", tally_json(&PairTally::Pairs(versus.pairs))),
                ("as_white", wdl_json(&versus.sides.as_white)),
                ("as_black", wdl_json(&versus.sides.as_black)),
                (
                    "points",
                    Json::List(versus.points.iter().map(|(rules, tally)| self.points_json(*rules, tally)).collect()),
                ),
            ])
        });
        Json::object([
            ("over", Json::Bool(is_over)),
            ("games", Json::Count(self.results.games())),
            ("total", self.total.map_or(Json::Null, Json::Count)),
            ("rules", Json::List(self.rules.iter().map(|rules| Json::text(rules.name)).collect())),
            ("engines", Json::List(engines.collect())),
            ("pairings", Json::List(pairings.collect())),
            ("endings", counts(self.results.endings.iter().collect())),
            ("sprt", self.sprt_json()),
        ])
    }

    fn points_json(&self, rules: usize, tally: &PointsTally) -> Json {
        Json::object([
            ("rules", Json::text(self.rules.get(rules).map_or("", |rules| rules.name))),
            ("first", Json::Count(tally.first)),
            ("second", Json::Count(tally.second)),
            ("matches", wdl_json(&tally.matches)),
        ])
    }

    fn sprt_json(&self) -> Json {
        let Some((sprt, llr, status)) = self.verdict() else { return Json::Null };
        let accepted = match status {
            SprtStatus::Continue => Json::Null,
            SprtStatus::AcceptH0 => Json::text("H0"),
            SprtStatus::AcceptH1 => Json::text("H1"),
        };
        Json::object([
            ("elo0", Json::Number(sprt.elo0())),
            ("elo1", Json::Number(sprt.elo1())),
            ("model", Json::text(sprt.model().to_string())),
            ("llr", Json::Number(llr)),
            ("lower_bound", Json::Number(sprt.lower_bound())),
            ("upper_bound", Json::Number(sprt.upper_bound())),
            ("accepted", accepted),
        ])
    }
}

fn wdl_json(games: &Trinomial) -> Json {
    Json::object([
        ("wins", Json::Count(games.wins)),
        ("losses", Json::Count(games.losses)),
        ("draws", Json::Count(games.draws)),
    ])
}

fn tally_json(tally: &PairTally) -> Json {
    let figures = tally.figures();
    let of = |get: fn(&Figures) -> f64| Json::maybe(figures.as_ref().map(get));
    let wdl = tally.wdl();
    let pairs = match tally {
        PairTally::Pairs(pairs) => Json::List(pairs.counts().into_iter().map(Json::Count).collect()),
        PairTally::Games(_) => Json::Null,
    };
    Json::object([
        ("games", Json::Count(wdl.games())),
        ("wins", Json::Count(wdl.wins)),
        ("losses", Json::Count(wdl.losses)),
        ("draws", Json::Count(wdl.draws)),
        ("pentanomial", pairs),
        ("score", Json::maybe(wdl.score())),
        ("elo", of(|figures| figures.elo.value)),
        ("elo_error", Json::maybe(figures.and_then(|figures| figures.elo.error))),
        ("elo_low", of(|figures| figures.elo_interval.low)),
        ("elo_high", of(|figures| figures.elo_interval.high)),
        ("nelo", of(|figures| figures.nelo.value)),
        ("nelo_error", Json::maybe(figures.and_then(|figures| figures.nelo.error))),
        ("los", of(|figures| figures.los)),
        ("draw_ratio", Json::maybe(tally.draw_ratio())),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::report::MainLimit;
    use super::super::results::GameSummary;
    use super::*;
    use crate::game::GameResult;

    fn contender(name: &str) -> Contender<'_> {
        Contender { name, pace: MainLimit::Nodes(5), threads: None, hash_mb: None }
    }

    fn results() -> MatchResults {
        let mut results = MatchResults::default();
        let game = |white, black, at_fault| GameSummary {
            white,
            black,
            result: GameResult::Win,
            points: Some((11, 0)),
            ending: if at_fault { "crash" } else { "immobilised" }.to_owned(),
            at_fault: at_fault.then_some(black),
        };
        results.add_pair(0, [&game(0, 1, true), &game(1, 0, false)]);
        results
    }

    #[test]
    fn a_duel_tells_points_and_faults() {
        let engines = [contender("a"), contender("b")];
        let rules = [RuleSet::named("super").unwrap()];
        let results = results();
        let standing = Scoreboard {
            engines: &engines,
            rules: &rules,
            openings: None,
            sprt: None,
            results: &results,
            total: Some(4),
        };
        let text = standing.text();
        assert!(text.contains("Points in super: a 11 - 11 b, matches: 0 won, 0 lost, 1 drawn"), "{text}");
        assert!(text.ends_with("Faults of b: crash 1\n"), "{text}");
        assert_eq!(standing.progress(), "2/4 games  +1 -1 =0  Elo: 0.00 +/- 636.43");
        let json = standing.json(false).to_string();
        assert!(json.contains("\"pentanomial\": [0, 0, 1, 0, 0]") && json.contains("\"crash\": 1"), "{json}");
    }

    #[test]
    fn a_tournament_of_many_is_a_table() {
        let engines = ["a", "b", "c"].map(contender);
        let rules = [RuleSet::named("super").unwrap()];
        let results = results();
        let standing =
            Scoreboard { engines: &engines, rules: &rules, openings: None, sprt: None, results: &results, total: None };
        assert!(standing.text().contains("Rank Name"));
        assert_eq!(standing.progress(), "2 games");
        assert!(standing.verdict().is_none());
    }
}
