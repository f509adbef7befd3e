//! The trial of a match's engines: each is started, greeted and made ready before the first game, so that one that speaks
//! another protocol, lacks an option, or never gets ready ends the match and not every game.

use crate::tournament::MatchError;
use crate::tournament::engine_client::{EngineClient, EngineEnvironment};
use crate::tournament::headroom;
use crate::tournament::interrupt::InterruptFlag;
use crate::tournament::settings::MatchSettings;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Longest time until an interruption is noticed.
const INTERRUPT_CHECK: Duration = Duration::from_millis(100);

/// Tries all engines, one after the other.
///
/// # Errors
/// Says what is wrong with the first that is not ready to play, or that the user has interrupted the trial.
pub fn run(
    settings: &MatchSettings,
    environment: &EngineEnvironment,
    interrupt: &InterruptFlag,
) -> Result<(), MatchError> {
    std::thread::scope(|scope| {
        let (sender, result) = channel();
        let trial = move || {
            // The other end waits for this message.
            let _ = sender.send(try_all(settings, environment));
        };
        std::thread::Builder::new()
            .spawn_scoped(scope, trial)
            .map_err(|error| MatchError::Failed(format!("no thread to try the engines: {error}")))?;
        loop {
            match result.recv_timeout(INTERRUPT_CHECK) {
                Ok(_) if interrupt.is_set() => return Err(MatchError::Interrupted),
                Ok(tried) => return tried.map_err(MatchError::Failed),
                // The engine that is waited for ends, and the trial with it.
                Err(RecvTimeoutError::Timeout) if interrupt.is_set() => environment.watchdog.kill_all(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(MatchError::Failed("the trial of the engines has failed".to_owned()));
                }
            }
        }
    })
}

fn try_all(settings: &MatchSettings, environment: &EngineEnvironment) -> Result<(), String> {
    for spec in &settings.engines {
        headroom::check()?;
        let mut engine = EngineClient::start(spec, environment).map_err(|error| error.describe(&spec.name))?;
        for rules in &settings.rules {
            engine.new_game(rules).map_err(|fault| format!("{}: {}", spec.name, fault.at_start()))?;
        }
        engine.quit();
    }
    Ok(())
}
