// SPDX-License-Identifier: BSD-2-Clause
//! Options that CFLAGS must not disable.

use std::ffi::OsString;

/// The option to append to a compiler's options if they disable optimisation, since the last one counts.  At -O0 and
/// -Og keys are stored on the stack, where nothing erases them: CMakeLists.txt has the same minimum.
pub fn floor(options: &[OsString]) -> Option<&'static str> {
    let last = options.iter().rev().find(|option| option.to_string_lossy().starts_with("-O"));
    match last.and_then(|option| option.to_str()) {
        None | Some("-O0" | "-Og") => Some("-O1"),
        Some(_) => None,
    }
}
