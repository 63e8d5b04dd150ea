// SPDX-License-Identifier: BSD-2-Clause
//! The C code is optimised, whatever CFLAGS say.

#[path = "../build/flags.rs"]
mod flags;

use std::ffi::OsString;

/// Catches options with which keys stay on the stack, and others changed unnecessarily.
#[test]
fn there_is_a_floor() {
    for (options, floor) in [
        ("-O2 -fPIC", None),
        ("-O2 -O0 -g", Some("-O1")),
        ("-O2 -Og", Some("-O1")),
        ("-O0 -O3", None),
        ("-O2 -Os", None),
        ("-g", Some("-O1")),
        ("-O", None),
    ] {
        let words: Vec<OsString> = options.split(' ').map(OsString::from).collect();
        assert_eq!(flags::floor(&words), floor, "{options}");
    }
}
