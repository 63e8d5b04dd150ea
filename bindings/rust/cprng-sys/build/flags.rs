// SPDX-License-Identifier: BSD-2-Clause
//! What CFLAGS must not take away.

use std::ffi::OsString;

/// The option to add to those of a compiler, if they leave the sources without optimisation, as the last of them decides.
/// At -O0 and -Og keys are put on the stack, where nothing erases them: CMakeLists.txt has the same floor.
pub fn floor(options: &[OsString]) -> Option<&'static str> {
    let last = options
        .iter()
        .rev()
        .find(|option| option.to_string_lossy().starts_with("-O"));
    match last.and_then(|option| option.to_str()) {
        None | Some("-O0" | "-Og") => Some("-O1"),
        Some(_) => None,
    }
}
