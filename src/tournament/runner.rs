//! A whole match: threads that play games one after the other, and the coordinator, which counts, saves and prints.
//!
//! A thread keeps its engines from game to game and starts one afresh only after a fault. When the match is decided
//! early, all engines are killed, which wakes every thread that waits for one.

use crate::files;
use crate::game::{DrawPlies, Game, GameResult};
use crate::notation::match_record::{Record, today};
use crate::rules::Side;
use crate::tablebase::Tablebase;
use crate::text::quoted_path;
use crate::tournament::MatchError;
use crate::tournament::console::MatchConsole;
use crate::tournament::engine_client::{EngineClient, EngineEnvironment};
use crate::tournament::engine_spec::EngineSpec;
use crate::tournament::fault::{EngineFault, FaultKind, GameEnd, StartError};
use crate::tournament::headroom;
use crate::tournament::interrupt::InterruptFlag;
use crate::tournament::opening;
use crate::tournament::pauses::PauseLog;
use crate::tournament::process::Watchdog;
use crate::tournament::referee::{self, MoveNote, PlayedGame};
use crate::tournament::report::{self, Contender};
use crate::tournament::results::GameSummary;
use crate::tournament::schedule::{Fixture, GameNumber, Opening, Schedule};
use crate::tournament::scoreboard::Scoreboard;
use crate::tournament::settings::{MatchSettings, OpeningSettings};
use crate::tournament::sprt::SprtStatus;
use crate::tournament::store::MatchStore;
use crate::tournament::trial;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The last line of a match that the user has interrupted.
const INTERRUPTED: &str = "Tournament interrupted";
/// Longest time until an interruption is noticed.
const INTERRUPT_CHECK: Duration = Duration::from_millis(100);

/// A message from a playing thread to the coordinator.
enum MatchEvent {
    Started(Fixture),
    Finished(Fixture, Box<PlayedGame>),
    /// The match can't go on, for this reason.
    Failed(String),
}

/// What all threads of a match share.
struct MatchContext<'a> {
    settings: &'a MatchSettings,
    schedule: &'a Schedule,
    /// The listed openings of each rule set.
    openings: Vec<Vec<Game>>,
    /// The solved tables of each rule set; empty without any.
    tables: Vec<Option<Tablebase>>,
    environment: EngineEnvironment,
    /// Set when no more games may be played.
    stop: AtomicBool,
    /// Numbers of the games that were over at the start.
    finished: BTreeSet<u64>,
    /// Number of the last game that was started or skipped.
    last: Mutex<u64>,
    /// Indices of the engines whose program was run.
    has_run: Mutex<BTreeSet<usize>>,
}

/// Plays a match to its end.
///
/// # Errors
/// Says what is wrong with the settings or a file. Engines' faults are no errors: they lose games.
pub fn run(settings: &MatchSettings, watchdog: Watchdog, interrupt: &InterruptFlag) -> Result<(), MatchError> {
    headroom::check().map_err(MatchError::Failed)?;
    let (openings, checksum) = settings.listed_openings().map_err(MatchError::Settings)?;
    let tables = settings.open_tables().map_err(MatchError::Settings)?;
    let plan = settings.plan(openings.iter().map(Vec::len).collect());
    let schedule = Schedule::try_from(&plan).map_err(|error| MatchError::Settings(error.to_string()))?;
    check(settings)?;
    let environment = EngineEnvironment {
        patience: settings.patience,
        is_lenient: settings.is_lenient,
        draw_plies: settings.draw_plies,
        watchdog: Arc::new(watchdog),
        pauses: PauseLog::start().map_err(|error| MatchError::Failed(format!("no thread for the clock: {error}")))?,
        option_warnings: Arc::default(),
    };
    if !settings.is_lenient {
        trial::run(settings, &environment, interrupt)?;
    }
    let store = MatchStore::open(settings, &settings.determining_options(checksum), &schedule)?;
    let context = MatchContext {
        settings,
        schedule: &schedule,
        openings,
        tables,
        environment,
        stop: AtomicBool::new(false),
        finished: store.finished().clone(),
        last: Mutex::new(0),
        has_run: Mutex::default(),
    };
    let contenders = settings.contenders();
    let console = MatchConsole::new(settings.is_quiet);
    let mut coordinator = Coordinator { context: &context, store, contenders, console, games_shown: 0 };
    let played = std::thread::scope(|scope| {
        let (sender, events) = channel();
        let is_decided = coordinator.status() != SprtStatus::Continue;
        let mut started = Ok(());
        for _ in 0..if is_decided { 0 } else { settings.concurrency } {
            let sender = sender.clone();
            let thread = headroom::check().and_then(|()| {
                let thread = std::thread::Builder::new().spawn_scoped(scope, || context.play_games(sender));
                thread.map(|_| ()).map_err(|error| error.to_string())
            });
            started = started.and(thread);
        }
        drop(sender);
        let started =
            started.map_err(|error| MatchError::Failed(format!("--concurrency: no thread for a game: {error}")));
        let handled = started.and_then(|()| coordinator.handle_all(&events, interrupt));
        if handled.is_err() {
            context.stop();
        }
        handled
    });
    match played {
        Ok(()) => coordinator.print_final(),
        Err(MatchError::Interrupted) => coordinator.print_interrupted(),
        Err(error) => Err(error),
    }
}

/// Checks what would make the match fail, before anything is written.
fn check(settings: &MatchSettings) -> Result<(), MatchError> {
    settings.engines.iter().try_for_each(EngineSpec::check).map_err(MatchError::Failed)?;
    if let Some(path) = &settings.json {
        files::check(path).map_err(|error| MatchError::Failed(format!("--json: {}: {error}", quoted_path(path))))?;
    }
    let OpeningSettings::Random { plies: Some(plies), judge } = settings.openings else { return Ok(()) };
    match settings.rules.iter().find(|rules| !opening::can_reach(rules, settings.seed, plies, judge)) {
        Some(rules) => Err(MatchError::Settings(format!(
            "--random-plies: found {plies}, expected fewer: no random game of {} came so far",
            rules.name
        ))),
        None => Ok(()),
    }
}

impl MatchContext<'_> {
    /// Stops the match: no more games are started, and those in play are broken off.
    fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.environment.watchdog.kill_all();
    }

    fn next_game(&self) -> Option<Fixture> {
        if self.stop.load(SeqCst) {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let game = self.schedule.game(GameNumber(*last + 1))?;
            *last += 1;
            if !self.finished.contains(&game.number.0) {
                return Some(game);
            }
        }
    }

    /// Plays games until there are none left.
    fn play_games(&self, events: Sender<MatchEvent>) {
        let mut engines: BTreeMap<usize, EngineClient> = BTreeMap::new();
        while let Some(game) = self.next_game() {
            if events.send(MatchEvent::Started(game)).is_err() {
                break;
            }
            let played = match self.play(&game, &mut engines) {
                Ok(played) => played,
                Err(why) => {
                    // The coordinator may have failed already.
                    let _ = events.send(MatchEvent::Failed(why));
                    return;
                }
            };
            // A game that was broken off counts for nothing.
            if self.stop.load(SeqCst) || events.send(MatchEvent::Finished(game, Box::new(played))).is_err() {
                break;
            }
        }
        drop(events);
        if !self.stop.load(SeqCst) {
            engines.into_values().for_each(EngineClient::quit);
        }
    }

    /// Starts an engine; the inner error is a fault of it, which loses the game.
    ///
    /// # Errors
    /// Says why the match can't go on.
    fn start_engine(&self, index: usize) -> Result<Result<EngineClient, EngineFault>, String> {
        let Some(spec) = self.settings.engines.get(index) else { return Err("no such engine".to_owned()) };
        headroom::check()?;
        let started = EngineClient::start(spec, &self.environment);
        let mut has_run = self.has_run.lock().unwrap_or_else(PoisonError::into_inner);
        match started {
            Err(StartError::Resources(why)) => Err(why),
            // If it has run before, its program has become unusable during the match.
            Err(StartError::Program(why)) if !has_run.contains(&index) => Err(why),
            Err(StartError::Program(why)) => Ok(Err(EngineFault::new(FaultKind::FailedToStart, why))),
            Err(StartError::Fault(fault)) => {
                has_run.insert(index);
                Ok(Err(fault))
            }
            Ok(engine) => {
                has_run.insert(index);
                Ok(Ok(engine))
            }
        }
    }

    fn play(&self, game: &Fixture, engines: &mut BTreeMap<usize, EngineClient>) -> Result<PlayedGame, String> {
        headroom::check()?;
        let (white, black) = (game.white(), game.black());
        // Only the two that play are kept: others would hold their memory in vain.
        let others: Vec<usize> =
            engines.keys().copied().filter(|engine| *engine != white && *engine != black).collect();
        for other in others {
            engines.remove(&other).into_iter().for_each(EngineClient::quit);
        }
        let mut take =
            |index: usize| engines.remove(&index).map_or_else(|| self.start_engine(index), |engine| Ok(Ok(engine)));
        let (mut white_engine, mut black_engine) = (take(white)?, take(black)?);
        let limits = |index: usize| self.settings.engines.get(index).map(|spec| spec.limits).unwrap_or_default();
        let played = referee::play(
            self.opening(game)?,
            (white_engine.as_mut().map_err(|fault| fault.clone()), limits(white)),
            (black_engine.as_mut().map_err(|fault| fault.clone()), limits(black)),
            (self.settings.adjudication, self.tables_of(game)),
            &self.stop,
        );
        let at_fault = played.end.fault().map(|(side, _)| if side == Side::White { white } else { black });
        for (index, engine) in [(white, white_engine), (black, black_engine)] {
            // One that is at fault is killed where it is dropped.
            if let Ok(engine) = engine
                && at_fault != Some(index)
            {
                engines.insert(index, engine);
            }
        }
        Ok(played)
    }

    fn tables_of(&self, game: &Fixture) -> Option<&Tablebase> {
        self.tables.get(game.rules).and_then(Option::as_ref)
    }

    /// The game's opening, with its moves played.
    fn opening(&self, game: &Fixture) -> Result<Game, String> {
        let opening = match (game.opening, &self.settings.openings) {
            (Opening::Listed(index), _) => self.openings.get(game.rules).and_then(|list| list.get(index)).cloned(),
            (Opening::Generated(seed), OpeningSettings::Random { plies, judge }) => {
                let rules = self.settings.rules.get(game.rules).copied();
                let tables = self.tables_of(game).filter(|_| self.settings.tables_judge_openings);
                rules.map(|rules| opening::generate(rules, seed, *plies, *judge, tables))
            }
            (Opening::Generated(_), OpeningSettings::File { .. }) => None,
        };
        let opening = opening.ok_or_else(|| format!("game {}: no such opening", game.number))?;
        Ok(opening.with_draw_plies(DrawPlies::new(self.settings.draw_plies)))
    }

    fn name(&self, engine: usize) -> &str {
        self.settings.engines.get(engine).map_or("", |engine| &engine.name)
    }
}

/// Counts and saves finished games, prints, and decides when the match is over.
struct Coordinator<'a> {
    context: &'a MatchContext<'a>,
    store: MatchStore,
    contenders: Vec<Contender<'a>>,
    console: MatchConsole,
    /// Games of the last scoreboard that was printed.
    games_shown: u64,
}

impl Coordinator<'_> {
    fn scoreboard(&self) -> Scoreboard<'_> {
        let settings = self.context.settings;
        let openings = match &settings.openings {
            OpeningSettings::File { path, .. } => path.to_str(),
            OpeningSettings::Random { .. } => None,
        };
        Scoreboard {
            engines: &self.contenders,
            rules: &settings.rules,
            openings,
            sprt: settings.sprt,
            results: &self.store.results,
            total: Some(self.context.schedule.total()),
        }
    }

    fn status(&self) -> SprtStatus {
        self.scoreboard().verdict().map_or(SprtStatus::Continue, |(.., status)| status)
    }

    /// Handles events until all threads have ended, or the user interrupts it.
    fn handle_all(&mut self, events: &Receiver<MatchEvent>, interrupt: &InterruptFlag) -> Result<(), MatchError> {
        loop {
            let event = events.recv_timeout(INTERRUPT_CHECK);
            // What is over by then is saved; games in play are not.
            if interrupt.is_set() && !matches!(event, Ok(MatchEvent::Finished(..))) {
                return Err(MatchError::Interrupted);
            }
            let event = match event {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            match event {
                MatchEvent::Started(game) => {
                    let (white, black) = (self.context.name(game.white()), self.context.name(game.black()));
                    self.console.line(&report::started_line(
                        game.number,
                        self.context.schedule.total(),
                        white,
                        black,
                    ))?;
                }
                MatchEvent::Finished(game, played) => {
                    // Games that end after the decision don't count.
                    if !self.context.stop.load(SeqCst) {
                        self.finish(&game, &played)?;
                    }
                }
                MatchEvent::Failed(why) if !self.context.stop.load(SeqCst) => return Err(MatchError::Failed(why)),
                MatchEvent::Failed(_) => {}
            }
        }
    }

    fn finish(&mut self, game: &Fixture, played: &PlayedGame) -> Result<(), MatchError> {
        let (white, black) = (self.context.name(game.white()), self.context.name(game.black()));
        self.warn_of_fault(game.number, &played.end, white, black)?;
        let summary = summary(game, played);
        let end = played.end.to_string();
        let line = report::finished_line(game.number, white, black, summary.result, &end);
        self.console.line(&line)?;
        let record = record(game, played, &summary, self.context.settings);
        let is_pair_over = self.store.finish(game, summary, record.write())?;
        if is_pair_over {
            self.print_interim()?;
            if self.status() != SprtStatus::Continue {
                self.context.stop();
            }
        }
        let progress = self.scoreboard().progress();
        self.console.progress(&progress)?;
        Ok(())
    }

    fn warn_of_fault(&mut self, number: GameNumber, end: &GameEnd, white: &str, black: &str) -> Result<(), MatchError> {
        let (name, fault) = match end {
            GameEnd::Fault(Side::White, fault) => (white, fault),
            GameEnd::Fault(Side::Black, fault) => (black, fault),
            GameEnd::NeitherStarted(fault) => ("both engines", fault),
            _ => return Ok(()),
        };
        self.console.clear()?;
        log::warn!("game {number}: {name}: {fault}");
        Ok(())
    }

    /// Prints and writes the scoreboard if the interval is over.
    fn print_interim(&mut self) -> Result<(), MatchError> {
        let (games, interval) = (self.store.results.games(), self.context.settings.interval.saturating_mul(2));
        // The final scoreboard is printed in any case.
        let is_last = games == self.context.schedule.total() || self.status() != SprtStatus::Continue;
        if interval > 0 && games - self.games_shown >= interval && !is_last {
            self.games_shown = games;
            let text = self.scoreboard().text();
            self.console.scoreboard(&text)?;
            self.write_json(false)?;
        }
        Ok(())
    }

    fn write_json(&self, is_over: bool) -> Result<(), MatchError> {
        let Some(path) = &self.context.settings.json else { return Ok(()) };
        let text = format!("{}\n", self.scoreboard().json(is_over));
        files::replace(path, &text).map_err(|error| MatchError::unwritten("--json", path, &error))
    }

    /// Prints and writes the scoreboard of a match that the user has interrupted.
    fn print_interrupted(&mut self) -> Result<(), MatchError> {
        let text = self.scoreboard().text();
        let printed = self.console.important(&text).and_then(|()| self.console.important(INTERRUPTED));
        self.write_json(false)?;
        printed?;
        Err(MatchError::Interrupted)
    }

    /// Prints and writes the final scoreboard.
    fn print_final(&mut self) -> Result<(), MatchError> {
        let last = match self.scoreboard().verdict() {
            Some((sprt, _, status)) => report::verdict_line(&sprt, status),
            None => report::FINISHED.to_owned(),
        };
        let text = self.scoreboard().text();
        let printed = self.console.important(&text).and_then(|()| self.console.important(&last));
        // The file is written even if nobody reads the text.
        self.write_json(true)?;
        Ok(printed?)
    }
}

/// What counts of a finished game.
fn summary(game: &Fixture, played: &PlayedGame) -> GameSummary {
    let winner = played.end.winner();
    let rules = played.game.rules();
    let worth = |side: Side| {
        let wins = winner == Some(side);
        let points = match played.end {
            GameEnd::Tables(_, points) => points,
            _ => rules.win_points(side, played.game.position().goats_alive()),
        };
        if wins { u64::from(points) } else { 0 }
    };
    GameSummary {
        white: game.white(),
        black: game.black(),
        result: GameResult::seen_by(Side::White, winner),
        points: rules.scored.then(|| (worth(Side::White), worth(Side::Black))),
        ending: played.end.name().to_owned(),
        at_fault: played.end.fault().map(|(side, _)| if side == Side::White { game.white() } else { game.black() }),
    }
}

/// The record of a finished game.
fn record(game: &Fixture, played: &PlayedGame, summary: &GameSummary, settings: &MatchSettings) -> Record {
    let engine = |index: usize| settings.engines.get(index);
    let name = |index| engine(index).map_or(String::new(), |engine| engine.name.clone());
    let limits = |index| engine(index).map_or(String::new(), |engine| engine.limits.to_string());
    let mut tags = vec![
        ("Event", "sundarban match".to_owned()),
        ("Date", today()),
        ("Game", game.number.to_string()),
        ("Round", game.round.to_string()),
        ("Pair", (game.pair + 1).to_string()),
        ("White", name(game.white())),
        ("Black", name(game.black())),
        ("WhiteLimits", limits(game.white())),
        ("BlackLimits", limits(game.black())),
        ("Plies", played.game.moves().len().to_string()),
        ("Termination", summary.ending.clone()),
    ];
    if let Some((side, _)) = played.end.fault() {
        tags.push(("Fault", side.to_string()));
    }
    if let Some((white, black)) = summary.points {
        tags.push(("Points", format!("{white}-{black}")));
    }
    Record {
        tags: tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        game: played.game.clone(),
        preface: String::new(),
        comments: played.notes.iter().map(MoveNote::to_string).collect(),
        annotations: Vec::new(),
        reason: played.end.to_string(),
        result: Some(summary.result),
    }
}
