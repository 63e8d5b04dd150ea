// SPDX-License-Identifier: BSD-2-Clause
//! Compile the C library into this crate: its one file, cprng.c, whose public symbols are hidden.

mod flags;

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// The directory of cprng.c and cprng.h: a package has them, and in a checkout tools/one-file makes them.
fn library() -> PathBuf {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let root = here.join("../../..");
    let tool = root.join("tools/one-file");
    if !tool.is_file() {
        return here.join("c");
    }
    for watched in ["include", "src", "tools/one-file", "tools/one-file.c.in", "tools/one-file.h.in"] {
        println!("cargo:rerun-if-changed={}", root.join(watched).display());
    }
    let made = PathBuf::from(variable("OUT_DIR"));
    run(Command::new("python3").arg("-B").arg(tool).arg(&made));
    made
}

fn main() {
    let c = library();
    let mut build = cc::Build::new();
    build
        .pic(true)
        .debug(false)
        // The library is optimised even in a debug build: see flags.rs.
        .opt_level(2)
        // Control-flow integrity: one object without this disables it for the whole program.
        .flag_if_supported("-fcf-protection=full")
        .flag_if_supported("-mbranch-protection=standard")
        .warnings(true)
        .extra_warnings(true);
    // These must follow CFLAGS, which the crate cc places last.
    let mut last = Vec::new();
    if ["x86_64", "x86"].contains(&variable("CARGO_CFG_TARGET_ARCH").as_str())
        && build.is_flag_supported("-masm=att").unwrap_or(false)
    {
        last.push("-masm=att"); // the source's assembler syntax
    }
    let compiler = build.get_compiler();
    assert!(!compiler.is_like_msvc(), "the C library needs gcc or clang: on Windows Rust's target x86_64-pc-windows-gnu");
    last.extend(flags::floor(compiler.args()));
    // Set only with RUSTFLAGS=-Zsanitizer=memory, never on a stable compiler.  The crate then reports C's writes.
    if env::var("CARGO_CFG_SANITIZE").is_ok_and(|names| names.split(',').any(|name| name == "memory")) {
        println!("cargo:rustc-cfg=cprng_msan");
        if compiler.args().iter().any(|option| option == "-fsanitize=memory") {
            last.push("-fno-sanitize=memory");
        }
    }
    let object = PathBuf::from(variable("OUT_DIR")).join("cprng.o");
    // In its directory, so that a compiler cache finds the object of the same file elsewhere.
    run(compiler.to_command().current_dir(&c).args(&last).arg("-c").arg("cprng.c").arg("-o").arg(&object));
    cc::Build::new().object(object).compile("cprng");
    if variable("CARGO_CFG_TARGET_OS") == "windows" {
        println!("cargo:rustc-link-lib=advapi32"); // the seed file's access list, and RtlGenRandom
    }

    println!("cargo:rerun-if-changed=build");
    println!("cargo:include={}", c.display()); // DEP_CPRNG_INCLUDE
}
