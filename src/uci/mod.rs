//! UCI and UGI: one session over lines of text.
//!
//! One thread reads lines, one executes commands (`Session`), and a third runs what takes time: a search, a perft, a
//! benchmark (`BackgroundTask`). The task has its own copy of all it needs, so everything else is executed at once,
//! also while it runs. Only a second task waits until it has finished, and the commands behind that one wait with it: a
//! script of many searches runs them all. `isready`, `stop`, `ponderhit` and `quit` never wait. The reader stops the
//! running search itself when it meets `stop` or `quit`, and waits where too many lines are not executed yet.
//!
//! Where additions go: a command into [`command`] (its text) and `Session::execute` (what it does); an option into
//! `engine/options.rs` (its field and range) and the table of [`options`], which announces it, reads it and names what
//! else has to be done when it is set (`Session::apply_effect`); a field of `info` into [`info`]; a kind of UGI's `query` into `query`.

pub mod command;
pub mod info;
pub mod options;
mod output;
mod query;
mod task;

use crate::engine::{Analysis, Engine, RootFilter};
use crate::game::{DrawPlies, Game};
use crate::lines::{Input, LONGEST_LINE, Place, read_lines};
use crate::moves::Move;
use crate::notation::coordinates;
use crate::notation::fen::{self, Fen};
use crate::position::Position;
use crate::render::text;
use crate::rules::Side;
use crate::search::control::{Control, Hold, Interrupt};
use crate::search::limits::{Clock, Limits};
use command::{Command, Go, HELP};
use info::InfoFormat;
use options::Effect;
use output::LineWriter;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};
use task::BackgroundTask;

/// How long `quit` waits for the answer that is owed: far longer than a search needs to end, if the client still reads.
const QUIT_PATIENCE: Duration = Duration::from_secs(10);

/// What the thread that executes commands waits for.
enum Event {
    /// A line of input, or its end.
    Input(Input, Place),
    /// The background task has finished.
    Finished,
    /// The output can't be written to any more.
    OutputFailed,
}

/// The protocol that the client has chosen by `uci` or `ugi`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Protocol {
    Uci,
    Ugi,
}

/// A command in the queue behind the background task.
struct PendingCommand {
    command: Command,
    /// A `stop` has come after it.
    is_stopped: bool,
    /// A `ponderhit` has come after it.
    has_ponderhit: bool,
    /// Keeps the reader from running too far ahead of what is executed.
    _place: Place,
}

impl PendingCommand {
    const fn new(command: Command, place: Place) -> Self {
        Self { command, is_stopped: false, has_ponderhit: false, _place: place }
    }
}

/// The background task that runs now.
struct RunningTask {
    control: Arc<Control>,
    /// Whether it has limits, at which it ends unless `ponder` or `infinite` holds its answer back.
    has_limit: bool,
}

impl RunningTask {
    /// Whether it ends without a further command.
    fn ends_by_itself(&self) -> bool {
        self.has_limit && !self.control.is_held()
    }
}

/// The state of a session, owned by the thread that executes commands.
struct Session {
    out: LineWriter,
    events: Sender<Event>,
    protocol: Protocol,
    engine: Engine,
    game: Game,
    running: Option<RunningTask>,
    /// By which the reader stops the running task.
    interrupt: Arc<Interrupt>,
    /// Commands that wait for the running task, oldest first; the first of them starts a task itself.
    pending: VecDeque<PendingCommand>,
    is_debugging: bool,
    has_input_ended: bool,
    /// When the session ends at the latest, once `quit` has come.
    quits_by: Option<Instant>,
}

/// Runs a session over these lines of input and output until `quit`, the end of the input, or a closed output.
///
/// # Errors
/// If the system has no thread for it, or writing fails for another reason than a closed pipe.
pub fn run(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    let (events, incoming) = channel();
    let out = LineWriter::new(output, events.clone());
    let (reader, interrupt) = (events.clone(), Arc::new(Interrupt::default()));
    let switch = Arc::clone(&interrupt);
    // Never joined: a read may block for ever, and the process ends with the session.
    Builder::new().name("reader".to_owned()).spawn(move || {
        read_lines(input, |line, place| {
            if matches!(&line, Input::Line(line) if matches!(line.trim(), "stop" | "quit")) {
                switch.stop();
            }
            reader.send(Event::Input(line, place)).is_ok()
        });
    })?;
    let mut session = Session::new(out, events, interrupt);
    session.process(&incoming);
    let failure = session.out.take_failure();
    // The process ends next, and freeing gigabytes of table would only delay that.
    std::mem::forget(session);
    // A client that has closed the pipe is as good as `quit`.
    failure.filter(|error| error.kind() != io::ErrorKind::BrokenPipe).map_or(Ok(()), Err)
}

impl Command {
    /// Whether it starts a background task, for which a running search without a limit is stopped.
    const fn starts_task(&self) -> bool {
        matches!(self, Self::Go(_) | Self::Bench(_))
    }

    /// Whether it only counts, and owes no `bestmove`.
    fn is_count(&self) -> bool {
        matches!(self, Self::Bench(_)) || matches!(self, Self::Go(go) if go.is_perft)
    }

    /// Whether it is executed before the pending commands.
    const fn is_urgent(&self) -> bool {
        matches!(self, Self::IsReady | Self::Stop | Self::PonderHit | Self::Quit)
    }
}

impl Session {
    fn new(out: LineWriter, events: Sender<Event>, interrupt: Arc<Interrupt>) -> Self {
        let engine = Engine::default();
        Self {
            out,
            events,
            protocol: Protocol::Uci,
            game: engine.new_game(),
            engine,
            running: None,
            interrupt,
            pending: VecDeque::new(),
            is_debugging: false,
            has_input_ended: false,
            quits_by: None,
        }
    }

    /// Handles events until the session is over.
    fn process(&mut self, incoming: &Receiver<Event>) {
        while !self.is_over()
            && let Some(event) = self.next_event(incoming)
        {
            match event {
                // What stands behind `quit`.
                Event::Input(..) if self.quits_by.is_some() => {}
                Event::Input(Input::Line(line), place) => self.on_line(&line, place),
                Event::Input(Input::TooLong, _) => {
                    self.info_string(&format!("a line of more than {LONGEST_LINE} bytes was dropped"))
                }
                Event::Input(Input::End, _) => self.end_input(),
                Event::Finished => self.finish(),
                Event::OutputFailed => return,
            }
            self.run_pending();
        }
    }

    /// The next event; `None` if none can come, or none comes in time after `quit`.
    fn next_event(&self, incoming: &Receiver<Event>) -> Option<Event> {
        match self.quits_by {
            None => incoming.recv().ok(),
            Some(end) => incoming.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
        }
    }

    fn is_over(&self) -> bool {
        let is_ending = self.has_input_ended || self.quits_by.is_some();
        is_ending && self.running.is_none() && self.pending.is_empty()
    }

    fn finish(&mut self) {
        self.running = None;
        self.interrupt.watch(None);
    }

    fn end_input(&mut self) {
        self.has_input_ended = true;
        self.stop_if_unbounded();
    }

    /// Executes an urgent command at once and queues any other.
    fn on_line(&mut self, line: &str, place: Place) {
        log::debug!("< {}", line.trim_end().escape_debug());
        match Command::parse(line) {
            Ok(None) => {}
            Ok(Some(command)) if command.is_urgent() => self.execute(&PendingCommand::new(command, place)),
            Ok(Some(command)) => {
                if command.starts_task() {
                    self.stop_if_unbounded();
                }
                self.pending.push_back(PendingCommand::new(command, place));
            }
            Err(error) => self.info_string(&error),
        }
    }

    fn info_string(&self, text: &str) {
        self.out.line(&format!("info string {text}"));
    }

    /// `stop`: ends the running task, and the pending ones as soon as they start.
    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
        self.pending.iter_mut().for_each(|pending| pending.is_stopped = true);
    }

    /// `quit`: ends all that runs; the searches that were begun or wait for their turn still answer.
    fn quit(&mut self) {
        self.quits_by = Some(Instant::now() + QUIT_PATIENCE);
        self.stop();
        self.pending.retain(|pending| !pending.command.is_count());
    }

    /// Stops the running task if nothing else would end it.
    fn stop_if_unbounded(&self) {
        if let Some(running) = self.running.as_ref().filter(|running| !running.ends_by_itself()) {
            running.control.stop();
        }
    }

    /// `ponderhit`, for the running task and the pending ones.
    fn ponderhit(&mut self) {
        if let Some(running) = &self.running {
            running.control.ponderhit();
        }
        self.pending.iter_mut().for_each(|pending| pending.has_ponderhit = true);
    }

    /// Executes pending commands up to the first that has to wait for the running task.
    fn run_pending(&mut self) {
        let is_due = |session: &Self, next: &PendingCommand| session.running.is_none() || !next.command.starts_task();
        while self.pending.front().is_some_and(|next| is_due(self, next)) {
            self.pending.pop_front().into_iter().for_each(|pending| self.execute(&pending));
        }
    }

    fn execute(&mut self, pending: &PendingCommand) {
        match &pending.command {
            Command::Uci => self.identify(Protocol::Uci, "uciok"),
            Command::Ugi => self.identify(Protocol::Ugi, "ugiok"),
            Command::IsReady => self.answer_ready(),
            Command::NewGame => self.new_game(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref()),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), moves),
            Command::Moves(moves) => self.play(moves),
            Command::Go(go) => self.go(go, pending),
            Command::Bench(depth) => {
                self.start(BackgroundTask::Bench { depth: *depth }, pending, Hold::default(), true)
            }
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponderhit(),
            Command::Debug(is_on) => self.is_debugging = *is_on,
            Command::Register => {}
            Command::Quit => self.quit(),
            Command::Display => self.out.line(&text::board(&self.game)),
            Command::Eval => self.out.line(&text::evaluation(self.game.position())),
            Command::Query(query) => self.out.line(&format!("response {}", query::answer(&self.game, query))),
            Command::Help => HELP.lines().for_each(|line| self.info_string(line)),
        }
    }

    /// Answers `uci` or `ugi`: the program's name and author, its options, and the last line.
    fn identify(&mut self, protocol: Protocol, end: &str) {
        self.protocol = protocol;
        self.out.line(&format!("id name Sundarban {}", env!("CARGO_PKG_VERSION")));
        self.out.line("id author the Sundarban founders");
        options::announcements().for_each(|line| self.out.line(&line));
        self.out.line(end);
    }

    /// `isready`.
    fn answer_ready(&self) {
        self.make_ready();
        self.out.line("readyok");
    }

    /// Makes all ready that the next search would take time for; not while one runs, which `stop` must reach at once.
    fn make_ready(&self) {
        if self.running.is_none() {
            self.engine.make_ready();
        }
    }

    fn new_game(&mut self) {
        self.game = self.engine.new_game();
        self.engine.clear_hash();
        self.make_ready();
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match options::set(&mut self.engine, name, value) {
            Err(error) => self.info_string(&format!("setoption: {error}")),
            Ok(effect) => self.apply_effect(effect),
        }
    }

    /// Does what else a new value of an option needs.
    fn apply_effect(&mut self, effect: Effect) {
        match effect {
            Effect::None | Effect::NewTable => {}
            Effect::Threads => self.engine.threads_note().iter().for_each(|note| self.info_string(note)),
            Effect::Rules => {
                self.game = self.engine.new_game();
                self.open_tablebase();
            }
            Effect::DrawPlies => self.game.set_draw_plies(self.engine.draw_plies()),
            Effect::Tablebase => self.open_tablebase(),
        }
    }

    /// Opens the solved tables of the rules in force, and reports what was found.
    fn open_tablebase(&mut self) {
        match self.engine.open_tablebase() {
            Ok(None) => {}
            Ok(Some(found)) => self.info_string(&format!("TablePath: {found}")),
            Err(error) => self.info_string(&format!("TablePath: {error}")),
        }
    }

    /// Sets up a position (`None` for the start) and plays moves from it; a bad one leaves the old position in force.
    fn set_position(&mut self, text: Option<&str>, moves: &str) {
        let rules = self.engine.options().rules;
        let start = match text.map(|text| fen::parse(rules, text)) {
            None => Position::start(rules),
            Some(Ok(position)) => position,
            Some(Err(error)) => return self.info_string(&format!("position fen: {error}; the old position stays")),
        };
        self.game = self.engine.game_from(start);
        self.play(moves);
    }

    /// Plays moves up to the first illegal one, which loses the game for the side that made it.
    fn play(&mut self, moves: &str) {
        if let (Some(side), false) = (self.game.forfeited(), moves.trim().is_empty()) {
            return self.info_string(&format!("moves: {side} has lost by an illegal move; set a position first"));
        }
        for (index, text) in moves.split_whitespace().enumerate() {
            match coordinates::parse(self.game.position(), text) {
                Ok(mv) => self.game.play(mv),
                Err(error) => {
                    let (number, all) = (index + 1, moves.split_whitespace().count());
                    self.info_string(&format!("move {number} of {all}: {error}; the moves before it stand"));
                    return self.game.forfeit();
                }
            }
        }
    }

    /// Starts a search or a perft.
    fn go(&mut self, go: &Go, pending: &PendingCommand) {
        go.error_text().iter().for_each(|text| self.info_string(text));
        if go.is_perft {
            let Some(depth) = go.perft else { return };
            let task = BackgroundTask::Perft { position: *self.game.position(), depth };
            return self.start(task, pending, Hold::default(), true);
        }
        let lines = self.engine.options().multi_pv as usize;
        let analysis = self.engine.prepare(&self.game, self.limits(go), lines, RootFilter::Always);
        analysis.root_probe.iter().for_each(|probe| self.info_string(&probe.to_string()));
        let limits = &analysis.limits;
        let hold = Hold { ponder: go.ponder, infinite: go.infinite || !limits.is_bounded() };
        if self.is_debugging {
            self.info_string(&format!("searching {} with {limits:?}", Fen(self.game.position())));
        }
        let format = InfoFormat {
            in_plies: self.protocol == Protocol::Ugi,
            probes: analysis.root_probe.map_or(0, |probe| probe.probes()),
            wdl_root: self.engine.options().show_wdl.then(|| *self.game.position()),
            with_ponder: self.engine.options().ponder && self.protocol == Protocol::Uci,
        };
        let analysis = Box::new(Analysis { game: self.game_to_search(), ..analysis });
        let has_limit = !hold.infinite;
        self.start(BackgroundTask::Search { analysis, format }, pending, hold, has_limit);
    }

    /// The game, or with `UCI_AnalyseMode` its last position alone if the history makes a draw.
    fn game_to_search(&self) -> Game {
        let is_drawn = self.game.outcome_on_board().is_some_and(|outcome| outcome.winner().is_none());
        if self.engine.options().analyse && is_drawn {
            Game::new(*self.game.position()).with_draw_plies(DrawPlies::NEVER)
        } else {
            self.game.clone()
        }
    }

    /// The limits of `go`; one that has none that can be read ends the search at once.
    fn limits(&self, go: &Go) -> Limits {
        let mut limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            mate: go.mate,
            move_time: go.move_time,
            clock: self.clock(go),
            root_moves: self.root_moves(go),
        };
        if go.error_count > 0 && !limits.is_bounded() && !go.infinite && !go.ponder {
            self.info_string("go: no limit that can be read, answering at once");
            limits.move_time = Some(Duration::ZERO);
        }
        limits
    }

    /// The clock of the side to move; one that was not given, while the other's was, is taken to have run out.
    fn clock(&self, go: &Go) -> Option<Clock> {
        let [white, black] = go.clocks;
        let (own, other) = match self.game.position().side() {
            Side::White => (white, black),
            Side::Black => (black, white),
        };
        let left = own.left.or(other.left.map(|_| Duration::ZERO))?;
        if own.left.is_none() {
            self.info_string(&format!("go: no clock for {}, answering at once", self.game.position().side()));
        }
        Some(Clock { left, increment: own.increment, moves_to_go: go.moves_to_go })
    }

    /// The legal moves of `searchmoves`; empty for all moves.
    fn root_moves(&self, go: &Go) -> Vec<Move> {
        let mut moves: Vec<Move> = Vec::new();
        let (mut refused, mut first_error) = (0, None);
        for text in go.search_moves.split_whitespace() {
            match coordinates::parse(self.game.position(), text) {
                Ok(mv) if moves.contains(&mv) => {}
                Ok(mv) => moves.push(mv),
                Err(error) => {
                    refused += 1;
                    first_error.get_or_insert(error);
                }
            }
        }
        if let Some(first) = first_error {
            let count = format!("{refused} of {}", go.search_moves.split_whitespace().count());
            let rest = if moves.is_empty() { "all moves are searched" } else { "the others are searched" };
            self.info_string(&format!("go searchmoves: {count} left out, the first because {first}; {rest}"));
        }
        moves
    }

    /// Starts a background task for a command; none may be running.
    fn start(&mut self, task: BackgroundTask, pending: &PendingCommand, hold: Hold, has_limit: bool) {
        let control = Arc::new(Control::new(Hold { ponder: hold.ponder && !pending.has_ponderhit, ..hold }));
        let (out, events, task_control) = (self.out.clone(), self.events.clone(), Arc::clone(&control));
        let fallback = task.fallback();
        let work = move || {
            task.run_safely(&task_control, &out);
            // This fails once the session's thread has ended, and then nobody needs the event.
            let _ = events.send(Event::Finished);
        };
        if let Err(error) = Builder::new().name("work".to_owned()).spawn(work) {
            self.info_string(&format!("no thread for the work: {error}"));
            return fallback.iter().for_each(|line| self.out.line(line));
        }
        let running = RunningTask { control, has_limit };
        let must_give_way = self.has_input_ended || self.pending.iter().any(|next| next.command.starts_task());
        if pending.is_stopped || must_give_way && !running.ends_by_itself() {
            running.control.stop();
        }
        self.interrupt.watch(Some(Arc::clone(&running.control)));
        self.running = Some(running);
    }
}
