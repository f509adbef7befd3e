//! The scoreboard of a match: results with Elo and the sequential test, as text and as JSON. Pure.

use crate::json::Json;
use crate::rules::RuleSet;
use crate::tournament::elo::Figures;
use crate::tournament::report::{self, Contender, Entrant, HeadToHead};
use crate::tournament::results::{MatchResults, PairingResults};
use crate::tournament::sprt::{Sprt, SprtStatus};
use crate::tournament::tally::{Pentanomial, PointsTally, Trinomial};

/// A view of the results for printing.
pub struct Scoreboard<'a> {
    pub engines: &'a [Contender<'a>],
    pub rules: &'a [&'static RuleSet],
    /// Name of the file with the openings.
    pub openings: Option<&'a str>,
    pub sprt: Option<Sprt>,
    pub results: &'a MatchResults,
    /// Games of the whole match; `None` for merged matches.
    pub total: Option<u64>,
}

impl Scoreboard<'_> {
    /// The only pairing of a match of two engines, which the test and the progress line are about.
    fn only_pairing(&self) -> Option<(&Contender<'_>, &Contender<'_>, PairingResults)> {
        let [first, second] = self.engines else { return None };
        Some((first, second, self.results.pairings.get(&(0, 1)).cloned().unwrap_or_default()))
    }

    /// The test with its log likelihood ratio and decision.
    pub fn verdict(&self) -> Option<(Sprt, f64, SprtStatus)> {
        let sprt = self.sprt?;
        let (.., pairing) = self.only_pairing()?;
        let llr = sprt.llr(&pairing.pairs);
        Some((sprt, llr, sprt.status(llr)))
    }

    /// Lines between separators, then those about faults and, in a match of many, points.
    pub fn text(&self) -> String {
        if let Some((first, second, pairing)) = self.only_pairing() {
            let named = |(&rules, &tally): (&usize, &PointsTally)| Some((self.rules.get(rules)?.name, tally));
            let points: Vec<(&str, PointsTally)> = pairing.points.iter().filter_map(named).collect();
            return report::head_to_head(&HeadToHead {
                first: *first,
                second: *second,
                openings: self.openings,
                pairs: pairing.pairs,
                sprt: self.sprt,
                sides: pairing.sides,
                points: &points,
            }) + &self.fault_lines();
        }
        let entrants: Vec<Entrant<'_>> = (0..)
            .zip(self.engines)
            .map(|(index, engine)| Entrant { name: engine.name, pairs: self.results.pairs_of(index) })
            .collect();
        report::rank_table(&entrants) + &self.points_lines() + &self.fault_lines()
    }

    /// In a match of many, each pairing's totals in the scored rule sets.
    fn points_lines(&self) -> String {
        let mut text = String::new();
        for (&(first, second), pairing) in &self.results.pairings {
            for (rules, tally) in &pairing.points {
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
        if let Some((.., pairing)) = self.only_pairing() {
            let wdl = pairing.pairs.wdl();
            text += &format!("  +{} -{} ={}", wdl.wins, wdl.losses, wdl.draws);
            if let Some(elo) = report::elo_line(pairing.pairs.figures().as_ref()).split(", ").next() {
                text += &format!("  {elo}");
            }
        }
        if let Some((sprt, llr, _)) = self.verdict() {
            text += &format!("  LLR {llr:.2} ({:.2}, {:.2})", sprt.lower_bound(), sprt.upper_bound());
        }
        text
    }

    /// `is_over` says that no more games follow.
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
                ("limits", engine.limit.map_or(Json::Null, |limit| Json::text(limit.to_string()))),
                ("faults", counts(faults)),
                ("results", pairs_json(&self.results.pairs_of(index))),
            ])
        });
        let pairings = self.results.pairings.iter().map(|(&(first, second), pairing)| {
            Json::object([
                ("first", name(first)),
                ("second", name(second)),
                ("results", pairs_json(&pairing.pairs)),
                ("as_white", wdl_json(&pairing.sides.as_white)),
                ("as_black", wdl_json(&pairing.sides.as_black)),
                (
                    "points",
                    Json::List(pairing.points.iter().map(|(rules, tally)| self.points_json(*rules, tally)).collect()),
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

fn pairs_json(pairs: &Pentanomial) -> Json {
    let figures = pairs.figures();
    let of = |get: fn(&Figures) -> f64| Json::optional_number(figures.as_ref().map(get));
    let wdl = pairs.wdl();
    Json::object([
        ("games", Json::Count(wdl.games())),
        ("wins", Json::Count(wdl.wins)),
        ("losses", Json::Count(wdl.losses)),
        ("draws", Json::Count(wdl.draws)),
        ("pentanomial", Json::List(pairs.counts().into_iter().map(Json::Count).collect())),
        ("score", Json::optional_number(wdl.score())),
        ("elo", of(|figures| figures.elo.value)),
        ("elo_error", Json::optional_number(figures.and_then(|figures| figures.elo.error))),
        ("elo_low", of(|figures| figures.elo_interval.low)),
        ("elo_high", of(|figures| figures.elo_interval.high)),
        ("nelo", of(|figures| figures.nelo.value)),
        ("nelo_error", Json::optional_number(figures.and_then(|figures| figures.nelo.error))),
        ("los", of(|figures| figures.los)),
        ("draw_ratio", Json::optional_number(pairs.draw_ratio())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use crate::tournament::limits::MainLimit;
    use crate::tournament::results::GameSummary;

    fn contender(name: &str) -> Contender<'_> {
        Contender { name, limit: Some(MainLimit::Nodes(5)), threads: None, hash_mb: None }
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
        let scoreboard = Scoreboard {
            engines: &engines,
            rules: &rules,
            openings: None,
            sprt: None,
            results: &results,
            total: Some(4),
        };
        let text = scoreboard.text();
        assert!(text.contains("Points in super: a 11 - 11 b, matches: 0 won, 0 lost, 1 drawn"), "{text}");
        assert!(text.ends_with("Faults of b: crash 1\n"), "{text}");
        assert_eq!(scoreboard.progress(), "2/4 games  +1 -1 =0  Elo: 0.00 +/- 636.43");
        let json = scoreboard.json(false).to_string();
        assert!(json.contains("\"pentanomial\": [0, 0, 1, 0, 0]") && json.contains("\"crash\": 1"), "{json}");
    }

    #[test]
    fn a_tournament_of_many_is_a_table() {
        let engines = ["a", "b", "c"].map(contender);
        let rules = [RuleSet::named("super").unwrap()];
        let results = results();
        let scoreboard =
            Scoreboard { engines: &engines, rules: &rules, openings: None, sprt: None, results: &results, total: None };
        assert!(scoreboard.text().contains("Rank Name"));
        assert_eq!(scoreboard.progress(), "2 games");
        assert!(scoreboard.verdict().is_none());
    }
}
