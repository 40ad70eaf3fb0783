//! The `debrief` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    debrief_server::cli::main()
}
