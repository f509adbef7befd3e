//! The `sundarban` program.
fn main() {}
