//! The match itself: threads that play games one after the other, and one that keeps the books and prints.
//!
//! A thread keeps its engines from game to game and starts one afresh only after a fault. When the match is decided
//! early, all engines are killed, which wakes every thread that waits for one.

use crate::files;
use crate::game::GameResult;
use crate::game::{self, DrawPlies};
use crate::notation::match_record::Record;
use crate::position::Position;
use crate::rules::{RuleSet, Side};
use crate::tablebase::Tablebase;
use crate::tournament::MatchError;
use crate::tournament::console::Output;
use crate::tournament::engine::{EngineClient, EngineEnvironment, EngineSpec};
use crate::tournament::fault::{EngineFault, FaultKind, NoStart, Reason};
use crate::tournament::opening;
use crate::tournament::process::Watchdog;
use crate::tournament::referee::{self, Note, Played};
use crate::tournament::report::{self, Contender};
use crate::tournament::results::Counted;
use crate::tournament::schedule::{Fixture, GameNumber, Opening, Schedule};
use crate::tournament::scoreboard::Scoreboard;
use crate::tournament::settings::{MatchSettings, Openings};
use crate::tournament::sprt::Status;
use crate::tournament::store::MatchStore;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// What a playing thread tells.
enum News {
    Started(Fixture),
    Finished(Fixture, Box<Played>),
    /// Nothing more can be played.
    Failed(String),
}

/// What all threads share.
struct MatchContext<'a> {
    settings: &'a MatchSettings,
    schedule: &'a Schedule,
    openings: Vec<Vec<game::Game>>,
    /// The solved tables of each rule set, if games may end by them.
    tables: Vec<Option<Tablebase>>,
    house: EngineEnvironment,
    stop: &'a AtomicBool,
    /// Games that were over before it began.
    done: BTreeSet<u64>,
    /// Number of the last game that was begun or passed over.
    last: Mutex<u64>,
    /// Engines that have run.
    has_run: Mutex<BTreeSet<usize>>,
}

/// Plays a match to its end.
///
/// # Errors
/// Says what is wrong with the settings or a file. Engines' faults are no errors: they lose games.
pub fn run(settings: &MatchSettings, guard: Watchdog) -> Result<(), MatchError> {
    let (openings, checksum) = settings.listed_openings().map_err(MatchError::Usage)?;
    let tables = settings.open_tables().map_err(MatchError::Usage)?;
    let plan = settings.plan(openings.iter().map(Vec::len).collect());
    let schedule = Schedule::try_from(&plan).map_err(|error| MatchError::Usage(error.to_string()))?;
    check(settings)?;
    let ledger = MatchStore::open(settings, &settings.plan_lines(checksum), &schedule)?;
    let house = EngineEnvironment {
        patience: settings.patience,
        draw_plies: settings.draw_plies,
        guard: Arc::new(guard),
        complaints: Arc::default(),
    };
    let stop = AtomicBool::new(false);
    let hall = MatchContext {
        settings,
        schedule: &schedule,
        openings,
        tables,
        house,
        stop: &stop,
        done: ledger.done(),
        last: Mutex::new(0),
        has_run: Mutex::default(),
    };
    let contenders = settings.contenders();
    let mut desk = Coordinator { hall: &hall, ledger, contenders, output: Output::new(settings.is_quiet), shown_at: 0 };
    std::thread::scope(|scope| {
        let (sender, news) = channel();
        let is_decided = desk.status() != Status::Continue;
        let mut begun = Ok(());
        for _ in 0..if is_decided { 0 } else { settings.concurrency } {
            let sender = sender.clone();
            let thread = std::thread::Builder::new().spawn_scoped(scope, || hall.play_games(sender));
            begun = begun.and(thread.map(|_| ()));
        }
        drop(sender);
        let begun = begun.map_err(|error| MatchError::Work(format!("--concurrency: no thread for a game: {error}")));
        let kept = begun.and_then(|()| desk.keep(&news));
        if kept.is_err() {
            hall.close();
        }
        kept
    })?;
    desk.conclude()
}

/// Looks for what would stop the match, before anything is written.
fn check(settings: &MatchSettings) -> Result<(), MatchError> {
    settings.engines.iter().try_for_each(EngineSpec::check).map_err(MatchError::Work)?;
    if let Some(path) = &settings.json {
        files::check(path).map_err(|error| MatchError::Work(format!("--json: '{}': {error}", path.display())))?;
    }
    let Openings::Random { plies: Some(plies) } = settings.openings else { return Ok(()) };
    match settings.rules.iter().find(|rules| !opening::can_reach(rules, settings.seed, plies)) {
        Some(rules) => Err(MatchError::Usage(format!(
            "--random-plies: found {plies}, expected fewer: no random game of {} came so far",
            rules.name
        ))),
        None => Ok(()),
    }
}

impl MatchContext<'_> {
    /// Ends the match: no game is begun any more, and those in play are broken off.
    fn close(&self) {
        self.stop.store(true, SeqCst);
        self.house.guard.kill_all();
    }

    fn next_game(&self) -> Option<Fixture> {
        if self.stop.load(SeqCst) {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let game = self.schedule.game(GameNumber(*last + 1))?;
            *last += 1;
            if !self.done.contains(&game.number.0) {
                return Some(game);
            }
        }
    }

    /// Plays games until there are none left.
    fn play_games(&self, news: Sender<News>) {
        let mut engines: BTreeMap<usize, EngineClient> = BTreeMap::new();
        while let Some(game) = self.next_game() {
            if news.send(News::Started(game)).is_err() {
                break;
            }
            let played = match self.play(&game, &mut engines) {
                Ok(played) => played,
                Err(why) => {
                    // If the desk is closed it knows.
                    let _ = news.send(News::Failed(why));
                    return;
                }
            };
            // A game that was broken off counts for nothing.
            if self.stop.load(SeqCst) || news.send(News::Finished(game, Box::new(played))).is_err() {
                break;
            }
        }
        drop(news);
        if !self.stop.load(SeqCst) {
            engines.into_values().for_each(EngineClient::quit);
        }
    }

    /// An engine that is ready, or why it is not.
    ///
    /// # Errors
    /// Says why the match can't go on: no fault of an engine.
    fn start(&self, index: usize) -> Result<Result<EngineClient, EngineFault>, String> {
        let Some(spec) = self.settings.engines.get(index) else { return Err("no such engine".to_owned()) };
        let started = EngineClient::start(spec, &self.house);
        let mut has_run = self.has_run.lock().unwrap_or_else(PoisonError::into_inner);
        match started {
            Err(NoStart::Resources(why)) => Err(why),
            // A program that is taken away during the match is another thing.
            Err(NoStart::Program(why)) if !has_run.contains(&index) => Err(why),
            Err(NoStart::Program(why)) => Ok(Err(EngineFault::new(FaultKind::FailedToStart, why))),
            Err(NoStart::EngineFault(fault)) => {
                has_run.insert(index);
                Ok(Err(fault))
            }
            Ok(engine) => {
                has_run.insert(index);
                Ok(Ok(engine))
            }
        }
    }

    fn play(&self, game: &Fixture, engines: &mut BTreeMap<usize, EngineClient>) -> Result<Played, String> {
        let (white, black) = (game.white(), game.black());
        // Only the two that play are kept, or memory would be taken by engines that wait for their turn.
        let others: Vec<usize> =
            engines.keys().copied().filter(|engine| *engine != white && *engine != black).collect();
        for other in others {
            engines.remove(&other).into_iter().for_each(EngineClient::quit);
        }
        let mut take = |index: usize| engines.remove(&index).map_or_else(|| self.start(index), |engine| Ok(Ok(engine)));
        let (mut white_engine, mut black_engine) = (take(white)?, take(black)?);
        let limits = |index: usize| self.settings.engines.get(index).map(|spec| spec.limits).unwrap_or_default();
        let played = referee::play(
            self.opening(game),
            (white_engine.as_mut().map_err(|fault| fault.clone()), limits(white)),
            (black_engine.as_mut().map_err(|fault| fault.clone()), limits(black)),
            (self.settings.conditions, self.tables_of(game)),
            self.stop,
        );
        let guilty = played.reason.fault().map(|(side, _)| if side == Side::White { white } else { black });
        for (index, engine) in [(white, white_engine), (black, black_engine)] {
            // One that is at fault is killed where it is dropped.
            if let Ok(engine) = engine
                && guilty != Some(index)
            {
                engines.insert(index, engine);
            }
        }
        Ok(played)
    }

    fn rules(&self, game: &Fixture) -> &'static RuleSet {
        self.settings.rules.get(game.rules).copied().unwrap_or(RuleSet::standard())
    }

    fn tables_of(&self, game: &Fixture) -> Option<&Tablebase> {
        self.tables.get(game.rules).and_then(Option::as_ref)
    }

    /// The game's opening, already played.
    fn opening(&self, game: &Fixture) -> game::Game {
        let rules = self.rules(game);
        let opening = match (game.opening, &self.settings.openings) {
            (Opening::Listed(index), _) => self.openings.get(game.rules).and_then(|list| list.get(index)).cloned(),
            (Opening::Generated(seed), Openings::Random { plies }) => {
                Some(opening::generate(rules, seed, *plies, self.tables_of(game)))
            }
            _ => None,
        };
        opening
            .unwrap_or_else(|| game::Game::new(Position::start(rules)))
            .with_draw_plies(DrawPlies::new(self.settings.draw_plies))
    }

    fn name(&self, engine: usize) -> &str {
        self.settings.engines.get(engine).map_or("", |engine| &engine.name)
    }
}

/// Keeps the books, prints, and decides when the match is over.
struct Coordinator<'a> {
    hall: &'a MatchContext<'a>,
    ledger: MatchStore,
    contenders: Vec<Contender<'a>>,
    output: Output,
    /// Games that the last standing told of.
    shown_at: u64,
}

impl Coordinator<'_> {
    fn standing(&self) -> Scoreboard<'_> {
        let settings = self.hall.settings;
        let openings = match &settings.openings {
            Openings::File { path, .. } => path.to_str(),
            Openings::Random { .. } => None,
        };
        Scoreboard {
            engines: &self.contenders,
            rules: &settings.rules,
            openings,
            sprt: settings.sprt,
            results: &self.ledger.results,
            total: Some(self.hall.schedule.total()),
        }
    }

    fn status(&self) -> Status {
        self.standing().verdict().map_or(Status::Continue, |(.., status)| status)
    }

    /// Takes in news until nobody plays any more.
    fn keep(&mut self, news: &Receiver<News>) -> Result<(), MatchError> {
        for item in news {
            match item {
                News::Started(game) => {
                    let (white, black) = (self.hall.name(game.white()), self.hall.name(game.black()));
                    self.output.line(&report::started_line(game.number, self.hall.schedule.total(), white, black))?;
                }
                News::Finished(game, played) => {
                    // After the decision nothing counts.
                    if !self.hall.stop.load(SeqCst) {
                        self.finish(&game, &played)?;
                    }
                }
                News::Failed(why) if !self.hall.stop.load(SeqCst) => return Err(MatchError::Work(why)),
                News::Failed(_) => {}
            }
        }
        Ok(())
    }

    fn finish(&mut self, game: &Fixture, played: &Played) -> Result<(), MatchError> {
        let (white, black) = (self.hall.name(game.white()), self.hall.name(game.black()));
        self.warn(game.number, &played.reason, white, black)?;
        let counted = counted(game, played);
        let reason = played.reason.to_string();
        let line = report::finished_line(game.number, white, black, Some(counted.result), &reason);
        self.output.line(&line)?;
        let record = record_of(game, played, &counted, self.hall.settings);
        let is_pair_over = self.ledger.finish(game, counted, record.write())?;
        if is_pair_over {
            self.show()?;
            if self.status() != Status::Continue {
                self.hall.close();
            }
        }
        let progress = self.standing().progress();
        self.output.progress(&progress)?;
        Ok(())
    }

    fn warn(&mut self, number: GameNumber, reason: &Reason, white: &str, black: &str) -> Result<(), MatchError> {
        let (name, fault) = match reason {
            Reason::EngineFault(Side::White, fault) => (white, fault),
            Reason::EngineFault(Side::Black, fault) => (black, fault),
            Reason::NeitherStarted(fault) => ("both engines", fault),
            _ => return Ok(()),
        };
        self.output.clear()?;
        log::warn!("game {number}: {name}: {fault}");
        Ok(())
    }

    /// Prints and writes the standing when it is time.
    fn show(&mut self) -> Result<(), MatchError> {
        let (games, interval) = (self.ledger.results.games(), 2 * self.hall.settings.interval);
        // The last standing comes in any case.
        let is_last = games == self.hall.schedule.total() || self.status() != Status::Continue;
        if interval > 0 && games - self.shown_at >= interval && !is_last {
            self.shown_at = games;
            let text = self.standing().text();
            self.output.standing(&text)?;
            self.write_json(false)?;
        }
        Ok(())
    }

    fn write_json(&self, is_over: bool) -> Result<(), MatchError> {
        let Some(path) = &self.hall.settings.json else { return Ok(()) };
        let text = format!("{}\n", self.standing().json(is_over));
        files::replace(path, &text).map_err(|error| MatchError::Work(format!("--json: '{}': {error}", path.display())))
    }

    /// The last words.
    fn conclude(&mut self) -> Result<(), MatchError> {
        let text = self.standing().text();
        self.output.important(&text)?;
        let last = match self.standing().verdict() {
            Some((sprt, _, status)) => report::verdict_line(&sprt, status),
            None => report::FINISHED.to_owned(),
        };
        self.output.important(&last)?;
        self.write_json(true)
    }
}

/// A finished game as it counts.
fn counted(game: &Fixture, played: &Played) -> Counted {
    let winner = played.reason.winner();
    let rules = played.game.rules();
    let worth = |side: Side| {
        let wins = winner == Some(side);
        let points = match played.reason {
            Reason::Tables(_, points) => points,
            _ => rules.win_points(side, played.game.position().goats_alive()),
        };
        if wins { u64::from(points) } else { 0 }
    };
    Counted {
        white: game.white(),
        black: game.black(),
        result: match winner {
            Some(Side::White) => GameResult::Win,
            Some(Side::Black) => GameResult::Loss,
            None => GameResult::Draw,
        },
        points: rules.scored.then(|| (worth(Side::White), worth(Side::Black))),
        ending: played.reason.name().to_owned(),
        at_fault: played.reason.fault().map(|(side, _)| if side == Side::White { game.white() } else { game.black() }),
    }
}

/// A finished game as its record.
fn record_of(game: &Fixture, played: &Played, counted: &Counted, settings: &MatchSettings) -> Record {
    let engine = |index: usize| settings.engines.get(index);
    let name = |index| engine(index).map_or(String::new(), |engine| engine.name.clone());
    let limits = |index| engine(index).map_or(String::new(), |engine| engine.limits.to_string());
    let mut tags = vec![
        ("Event", "sundarban match".to_owned()),
        ("Date", crate::notation::match_record::today()),
        ("Game", game.number.to_string()),
        ("Round", game.round.to_string()),
        ("Pair", (game.pair + 1).to_string()),
        ("White", name(game.white())),
        ("Black", name(game.black())),
        ("WhiteLimits", limits(game.white())),
        ("BlackLimits", limits(game.black())),
        ("Plies", played.game.moves().len().to_string()),
        ("Termination", counted.ending.clone()),
    ];
    if let Some((side, _)) = played.reason.fault() {
        tags.push(("Fault", side.to_string()));
    }
    if let Some((white, black)) = counted.points {
        tags.push(("Points", format!("{white}-{black}")));
    }
    Record {
        tags: tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        game: played.game.clone(),
        preface: String::new(),
        comments: played.notes.iter().map(Note::to_string).collect(),
        annotations: Vec::new(),
        reason: played.reason.to_string(),
        result: Some(counted.result),
    }
}
