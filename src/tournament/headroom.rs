//! Memory: a match ends with the reason when there is little left, before something that can't report it fails.

/// Memory that must be free before a game, an engine or a thread is begun, in bytes: more than all of them take.
const HEADROOM: usize = 32 << 20;

/// Whether there is memory enough to go on.
///
/// # Errors
/// Says how much is missing.
pub fn check() -> Result<(), String> {
    let mut space: Vec<u8> = Vec::new();
    let reserved = space.try_reserve_exact(HEADROOM);
    // What is never looked at need not be reserved.
    std::hint::black_box(&mut space);
    reserved.map_err(|_| format!("out of memory: found less than {} MiB free, expected more", HEADROOM >> 20))
}
