// SPDX-License-Identifier: BSD-2-Clause
//! Compile the C library into this crate, as CMakeLists.txt does it into libcprng.a: the sources that src/sources.cmake
//! lists, position-independent, with the public symbols hidden.

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
        .files(files)
        .include(c.join("include"))
        .include(c.join("src"))
        .std("gnu11")
        .pic(true)
        .debug(false)
        // At -O0 keys are spilled to the stack, where nothing erases them: a debug build has an optimised library, too.
        .opt_level(2)
        .define("CPRNG_VISIBILITY", "hidden")
        .flag("-fvisibility=hidden")
        // A product and a sum are rounded each, or numbers of streams would differ between machines.
        .flag("-ffp-contract=off")
        // No table of the dynamic linker, whose first call saves registers, with what was served in them, to the stack.
        .flag_if_supported("-fno-plt")
        .warnings(true)
        .extra_warnings(true);
    if architecture == "x86_64" || architecture == "x86" {
        build.flag_if_supported("-masm=att"); // the sources have this dialect, whatever CFLAGS say
    }
    build.compile("cprng");

    watch(&c.join("include"));
    watch(&c.join("src"));
    println!("cargo:rerun-if-changed=build");
    println!("cargo:include={}", c.join("include").display()); // DEP_CPRNG_INCLUDE
}

/// cargo compares the times of a link, not of what it leads to.
fn watch(path: &Path) {
    let real = path
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("cargo:rerun-if-changed={}", real.display());
}
