//! The session: UCI and UGI over lines of text.
//!
//! One thread reads lines, one (this) executes commands, and a third does what takes time: a search, a perft, a
//! benchmark. It has its own copy of all it needs, so everything else is executed at once, also while it works. Only
//! more work waits until it is done, and what comes behind such work waits with it: a script of many searches runs
//! them all. `isready`, `stop`, `ponderhit` and `quit` never wait.

pub mod command;
pub mod info;
mod output;
mod task;

use crate::engine::Engine;
use crate::engine::options::{Effect, Options};
use crate::game::{DrawPlies, Game, Outcome};
use crate::lines::{Input, LONGEST_LINE, read_lines};
use crate::moves::Move;
use crate::notation::coordinates;
use crate::notation::fen::{self, Fen};
use crate::position::Position;
use crate::rules::Side;
use crate::search::control::{Control, Hold};
use crate::search::limits::{Clock, Limits};
use command::{Command, Go, Query};
use info::InfoFormat;
use output::Output;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::Duration;
use task::Task;

/// What the session's thread waits for.
enum Event {
    /// A line of input, or its end.
    Input(Input),
    /// The work in the background is done.
    Finished,
    /// The output can't be written to any more.
    OutputFailed(io::Error),
}

/// The protocol that the other side has chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Protocol {
    Uci,
    Ugi,
}

/// A command that waits for the work in the background to be done: more work, or what comes behind it.
struct Waiting {
    command: Command,
    /// A `stop` has come after it.
    is_stopped: bool,
    /// A `ponderhit` has come after it.
    is_released: bool,
}

impl Waiting {
    const fn new(command: Command) -> Self {
        Self { command, is_stopped: false, is_released: false }
    }
}

/// Work in the background.
struct Running {
    control: Arc<Control>,
    /// Whether it ends by itself once nothing holds it.
    has_limit: bool,
}

impl Running {
    fn ends_by_itself(&self) -> bool {
        self.has_limit && !self.control.is_held()
    }
}

struct Session {
    out: Output,
    events: Sender<Event>,
    protocol: Protocol,
    engine: Engine,
    game: Game,
    running: Option<Running>,
    waiting: VecDeque<Waiting>,
    is_debugging: bool,
    has_input_ended: bool,
    is_quitting: bool,
}

/// Holds a session over these lines of input and output, and returns when it is over.
///
/// # Errors
/// If the system has no thread for it, or the output fails. A reader that has left is no error.
pub fn run(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> io::Result<()> {
    let (events, incoming) = channel();
    let out = Output::new(output, events.clone());
    let reader = events.clone();
    // Never joined: a read may block for ever, and the process ends with the session.
    Builder::new().name("reader".to_owned()).spawn(move || {
        read_lines(input, |heard| reader.send(Event::Input(heard)).is_ok());
    })?;
    let mut session = Session::new(out, events);
    let served = session.serve(&incoming);
    // The process ends next, and giving gigabytes of table back piece by piece would only delay that.
    std::mem::forget(session);
    served
}

impl Command {
    /// Whether it is work for the background, to which a search without a limit has to give way.
    const fn is_work(&self) -> bool {
        matches!(self, Self::Go(_) | Self::Bench(_))
    }

    /// Whether it is executed before anything that waits.
    const fn is_urgent(&self) -> bool {
        matches!(self, Self::IsReady | Self::Stop | Self::PonderHit | Self::Quit)
    }
}

impl Session {
    fn new(out: Output, events: Sender<Event>) -> Self {
        let engine = Engine::default();
        Self {
            out,
            events,
            protocol: Protocol::Uci,
            game: engine.new_game(),
            engine,
            running: None,
            waiting: VecDeque::new(),
            is_debugging: false,
            has_input_ended: false,
            is_quitting: false,
        }
    }

    fn serve(&mut self, incoming: &Receiver<Event>) -> io::Result<()> {
        while !self.is_over() {
            let Ok(event) = incoming.recv() else { break };
            match event {
                Event::Input(Input::Line(line)) => self.on_line(&line),
                Event::Input(Input::TooLong) => {
                    self.info_string(&format!("a line of more than {LONGEST_LINE} bytes was dropped"))
                }
                Event::Input(Input::End) => self.end_input(),
                Event::Finished => self.running = None,
                // Whoever has stopped reading wants no more: no failure.
                Event::OutputFailed(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Event::OutputFailed(error) => return Err(error),
            }
            self.run_pending();
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_quitting || self.has_input_ended && self.running.is_none() && self.waiting.is_empty()
    }

    fn end_input(&mut self) {
        self.has_input_ended = true;
        self.stop_if_unbounded();
    }

    /// Takes in a line: what can't wait is done at once, the rest in turn.
    fn on_line(&mut self, line: &str) {
        log::debug!("< {}", line.trim_end());
        match Command::parse(line) {
            Ok(None) => {}
            Ok(Some(command)) if command.is_urgent() => self.execute(&Waiting::new(command)),
            Ok(Some(command)) => {
                if command.is_work() {
                    self.stop_if_unbounded();
                }
                self.waiting.push_back(Waiting::new(command));
            }
            Err(complaint) => self.info_string(&complaint),
        }
    }

    fn info_string(&self, complaint: &str) {
        self.out.line(&format!("info string {complaint}"));
    }

    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
        self.waiting.iter_mut().for_each(|waiting| waiting.is_stopped = true);
    }

    fn stop_if_unbounded(&self) {
        if let Some(running) = self.running.as_ref().filter(|running| !running.ends_by_itself()) {
            running.control.stop();
        }
    }

    fn release(&mut self) {
        if let Some(running) = &self.running {
            running.control.ponderhit();
        }
        self.waiting.iter_mut().for_each(|waiting| waiting.is_released = true);
    }

    /// Executes what waits, up to work for which there is no room yet.
    fn run_pending(&mut self) {
        let is_due = |session: &Self, next: &Waiting| session.running.is_none() || !next.command.is_work();
        while self.waiting.front().is_some_and(|next| is_due(self, next)) {
            self.waiting.pop_front().into_iter().for_each(|waiting| self.execute(&waiting));
        }
    }

    fn execute(&mut self, waiting: &Waiting) {
        match &waiting.command {
            Command::Uci => self.introduce(Protocol::Uci, "uciok"),
            Command::Ugi => self.introduce(Protocol::Ugi, "ugiok"),
            Command::IsReady => self.out.line("readyok"),
            Command::NewGame => self.new_game(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref()),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), moves),
            Command::Moves(moves) => self.play(moves),
            Command::Go(go) => self.go(go, waiting),
            Command::Bench(depth) => self.start(Task::Bench { depth: *depth }, waiting, Hold::default(), true),
            Command::Stop => self.stop(),
            Command::PonderHit => self.release(),
            Command::Debug(is_on) => self.is_debugging = *is_on,
            Command::Register => {}
            Command::Quit => self.is_quitting = true,
            Command::Display => self.out.line(&info::board(&self.game)),
            Command::Eval => self.out.line(&info::evaluation(self.game.position())),
            Command::Query(query) => self.out.line(&format!("response {}", self.response(query))),
            Command::Help => HELP.lines().for_each(|line| self.info_string(line)),
        }
    }

    fn introduce(&mut self, protocol: Protocol, end: &str) {
        self.protocol = protocol;
        self.out.line(&format!("id name Sundarban {}", env!("CARGO_PKG_VERSION")));
        self.out.line("id author the Sundarban founders");
        Options::announcements().for_each(|line| self.out.line(&line));
        self.out.line(end);
    }

    fn response(&self, query: &Query) -> String {
        let position = self.game.position();
        match query {
            Query::GameOver => self.game.outcome().is_some().to_string(),
            Query::FirstPlayersTurn => (position.side() == Side::White).to_string(),
            Query::Result => match self.game.outcome().map(Outcome::winner) {
                None => "none",
                Some(None) => "draw",
                Some(Some(Side::White)) => "p1win",
                Some(Some(Side::Black)) => "p2win",
            }
            .to_owned(),
            Query::Fen => Fen(position).to_string(),
            Query::IsLegal(text) => {
                (self.game.outcome().is_none() && coordinates::parse(position, text).is_ok()).to_string()
            }
            Query::Legal if self.game.outcome().is_some() => info::move_list(&[]),
            Query::Legal => info::move_list(&position.legal_moves()),
        }
    }

    fn new_game(&mut self) {
        self.game = self.engine.new_game();
        self.engine.forget();
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.engine.set_option(name, value) {
            Err(complaint) => self.info_string(&format!("setoption: {complaint}")),
            Ok(effect) => self.take_effect(effect),
        }
    }

    fn take_effect(&mut self, effect: Effect) {
        match effect {
            Effect::None | Effect::NewTable => {}
            Effect::Threads => self.engine.threads_note().iter().for_each(|note| self.info_string(note)),
            Effect::Rules => {
                self.game = self.engine.new_game();
                self.look_for_tables();
            }
            Effect::DrawPlies => self.game.set_draw_plies(self.engine.draw_plies()),
            Effect::Tablebase => self.look_for_tables(),
        }
    }

    fn look_for_tables(&mut self) {
        if let Some(note) = self.engine.open_tables() {
            self.info_string(&format!("TablePath: {note}"));
        }
    }

    fn set_position(&mut self, text: Option<&str>, moves: &[String]) {
        let rules = self.engine.options().rules;
        let start = match text.map(|text| fen::parse(rules, text)) {
            None => Position::start(rules),
            Some(Ok(position)) => position,
            Some(Err(error)) => return self.info_string(&format!("position fen: {error}; the old position stays")),
        };
        self.game = self.engine.game_from(start);
        self.play(moves);
    }

    /// Plays moves up to the first that is not legal, which loses the game for its side.
    fn play(&mut self, moves: &[String]) {
        if let (Some(side), false) = (self.game.forfeited(), moves.is_empty()) {
            return self.info_string(&format!("moves: {side} has lost by an illegal move; set a position first"));
        }
        for (index, text) in moves.iter().enumerate() {
            match coordinates::parse(self.game.position(), text) {
                Ok(mv) => self.game.play(mv),
                Err(why) => {
                    let number = index + 1;
                    self.info_string(&format!("move {number} of {}: {why}; the moves before it stand", moves.len()));
                    return self.game.forfeit();
                }
            }
        }
    }

    fn go(&mut self, go: &Go, waiting: &Waiting) {
        go.complaint().iter().for_each(|complaint| self.info_string(complaint));
        if go.is_perft {
            let Some(depth) = go.perft else { return };
            let task = Task::Perft { position: *self.game.position(), depth };
            return self.start(task, waiting, Hold::default(), true);
        }
        let mut limits = self.limits(go);
        let settings = self.engine.settings();
        // Of a list of lines all are wanted, the tables' values with them.
        let kept = Some(&mut limits)
            .filter(|_| settings.multi_pv == 1 && self.game.outcome_on_board().is_none())
            .and_then(|limits| self.engine.filter_root_moves(self.game.position(), limits));
        kept.iter().for_each(|kept| self.info_string(&kept.to_string()));
        let hold = Hold { ponder: go.ponder, infinite: go.infinite || !limits.is_bounded() };
        if self.is_debugging {
            self.info_string(&format!("searching {} with {limits:?}", Fen(self.game.position())));
        }
        let manner = InfoFormat {
            in_plies: self.protocol == Protocol::Ugi,
            probes: kept.map_or(0, |kept| kept.probes()),
            with_wdl: self.engine.options().show_wdl,
            with_ponder: self.engine.options().ponder && self.protocol == Protocol::Uci,
        };
        let (game, table) = (Box::new(self.game_to_search()), self.engine.table());
        let has_limit = !hold.infinite;
        self.start(Task::Search { game, limits, settings, table, manner }, waiting, hold, has_limit);
    }

    /// The game, or in analysis of one that is drawn by its history the position alone.
    fn game_to_search(&self) -> Game {
        let is_drawn = self.game.outcome_on_board().is_some_and(|outcome| outcome.winner().is_none());
        if self.engine.options().analyse && is_drawn {
            Game::new(*self.game.position()).with_draw_plies(DrawPlies::NEVER)
        } else {
            self.game.clone()
        }
    }

    fn limits(&self, go: &Go) -> Limits {
        let mut limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            mate: go.mate,
            move_time: go.move_time,
            clock: self.clock(go),
            root_moves: self.root_moves(go),
        };
        if !go.complaints.is_empty() && !limits.is_bounded() && !go.infinite && !go.ponder {
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

    fn root_moves(&self, go: &Go) -> Vec<Move> {
        let read = |text: &String| coordinates::parse(self.game.position(), text);
        let (moves, refused): (Vec<_>, Vec<_>) = go.search_moves.iter().map(read).partition(Result::is_ok);
        if let Some(Err(first)) = refused.first() {
            let count = format!("{} of {}", refused.len(), go.search_moves.len());
            let rest = if moves.is_empty() { "all moves are searched" } else { "the others are searched" };
            self.info_string(&format!("go searchmoves: {count} left out, the first because {first}; {rest}"));
        }
        moves.into_iter().flatten().collect()
    }

    /// Starts work in the background, where there must be none yet.
    fn start(&mut self, task: Task, waiting: &Waiting, hold: Hold, has_limit: bool) {
        let control = Arc::new(Control::new(Hold { ponder: hold.ponder && !waiting.is_released, ..hold }));
        let (out, events, switches) = (self.out.clone(), self.events.clone(), Arc::clone(&control));
        let fallback = task.fallback();
        let work = move || {
            task.run_safely(&switches, &out);
            // If the session is gone nobody needs to on_line of it.
            let _ = events.send(Event::Finished);
        };
        if let Err(error) = Builder::new().name("work".to_owned()).spawn(work) {
            self.info_string(&format!("no thread for the work: {error}"));
            return fallback.iter().for_each(|line| self.out.line(line));
        }
        let running = Running { control, has_limit };
        let must_give_way = self.has_input_ended || self.waiting.iter().any(|next| next.command.is_work());
        if waiting.is_stopped || must_give_way && !running.ends_by_itself() {
            running.control.stop();
        }
        self.running = Some(running);
    }
}

const HELP: &str = "\
uci, ugi: who this is and its options
isready: readyok
ucinewgame: forget the last game
setoption name N [value V]: set an option
position startpos|fen F [moves M ...]: set up a position
moves M ...: play on
go [depth|nodes|movetime|mate|wtime|btime|winc|binc|movestogo N ...] [searchmoves M ...] [infinite|ponder]: search
go perft N: count the leaves N plies ahead, move by move
stop, ponderhit: end a search, or give it its time
query gameover|p1turn|result|fen|islegal M|legal: ask the referee
d, eval: show the board, the evaluation
bench [N]: search a fixed set of positions to depth N
debug on|off: say more
quit: leave
protocol.md says it all";
