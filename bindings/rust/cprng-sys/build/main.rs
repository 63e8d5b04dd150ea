// SPDX-License-Identifier: BSD-2-Clause
//! Compile the C library into this crate, as CMakeLists.txt compiles libcprng.a: the sources in src/sources.cmake,
//! position-independent, with hidden public symbols.

mod flags;
mod sources;

use std::env;
use std::path::{Path, PathBuf};

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn main() {
    let c = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("c");
    let list = c.join("src/sources.cmake");
    let text = std::fs::read_to_string(&list)
        .unwrap_or_else(|error| panic!("{}: {error} (a checkout without symbolic links?)", list.display()));
    let system = if variable("CARGO_CFG_TARGET_OS") == "linux" {
        "linux"
    } else {
        "posix"
    };
    let architecture = variable("CARGO_CFG_TARGET_ARCH");
    let lists = sources::read(&text, &architecture, system);
    let files = ["CPRNG_FREESTANDING_SOURCES", "CPRNG_HOSTED_SOURCES"]
        .iter()
        .flat_map(|name| &lists[*name])
        .map(|file| c.join(file));

    let mut build = cc::Build::new();
    build
        .include(c.join("include"))
        .include(c.join("src"))
        .std("gnu11")
        .pic(true)
        .debug(false)
        // A debug build has an optimised library, too: see flags.rs.
        .opt_level(2)
        .define("CPRNG_VISIBILITY", "hidden")
        // No lazy binding, whose first call saves registers, including served bytes, on the stack.
        .flag_if_supported("-fno-plt")
        // Indirect branches go where they were meant to: one object without this takes it from the whole program.
        .flag_if_supported("-fcf-protection=full")
        .flag_if_supported("-mbranch-protection=standard")
        .warnings(true)
        .extra_warnings(true);
    // After CFLAGS, which the crate cc places last, as CMake does.  Products and sums are rounded separately, or
    // streams would differ between machines.
    let mut last = vec!["-fvisibility=hidden", "-ffp-contract=off"];
    let x86 = architecture == "x86_64" || architecture == "x86";
    if x86 && build.is_flag_supported("-masm=att").unwrap_or(false) {
        last.push("-masm=att"); // the sources' dialect
    }
    let compiler = build.get_compiler();
    last.extend(flags::floor(compiler.args()));
    // With MemorySanitizer, whose option the crate cc passes on: src/draw/msan.rs tells it what the library writes.
    if env::var("CARGO_CFG_SANITIZE").is_ok_and(|sanitizers| sanitizers.split(',').any(|name| name == "memory")) {
        println!("cargo:rustc-cfg=cprng_msan");
        if compiler.args().iter().any(|option| option == "-fsanitize=memory") {
            last.push("-fno-sanitize=memory");
        }
    }
    let mut archive = cc::Build::new();
    for (number, file) in files.enumerate() {
        let object = PathBuf::from(variable("OUT_DIR")).join(format!("{number}.o"));
        let mut command = compiler.to_command();
        command.args(&last).arg("-c").arg(&file).arg("-o").arg(&object);
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(status.success(), "{command:?}: {status}");
        archive.object(object);
    }
    archive.compile("cprng");

    watch(&c.join("include"));
    watch(&c.join("src"));
    println!("cargo:rerun-if-changed=build");
    println!("cargo:include={}", c.join("include").display()); // DEP_CPRNG_INCLUDE
}

/// cargo compares a link's time, not its target's.
fn watch(path: &Path) {
    let real = path
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("cargo:rerun-if-changed={}", real.display());
}
