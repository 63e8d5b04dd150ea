// SPDX-License-Identifier: BSD-2-Clause
//! build/ compiles the same sources as CMake.

#[path = "../build/sources.rs"]
mod sources;

use std::path::Path;
use std::process::Command;

const LISTS: [&str; 5] = [
    "CPRNG_FREESTANDING_SOURCES",
    "CPRNG_HOSTED_SOURCES",
    "CPRNG_API_SOURCES",
    "CPRNG_OS_SOURCES",
    "CPRNG_NO_SUCH_LIST",
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/c"))
}

/// CMake's own reading of the file, one list per line.
fn by_cmake(architecture: &str, system: &str) -> Vec<Vec<String>> {
    let script = std::env::temp_dir().join(format!("cprng-lists-{}.cmake", std::process::id()));
    let messages: String = LISTS.iter().map(|list| format!("message(\"${{{list}}}\")\n")).collect();
    std::fs::write(
        &script,
        format!("include({}/src/sources.cmake)\n{messages}", root().display()),
    )
    .unwrap();
    let output = Command::new("cmake")
        .args([
            format!("-DCMAKE_SYSTEM_PROCESSOR={architecture}"),
            format!("-DCPRNG_OS={system}"),
            "-P".into(),
        ])
        .arg(&script)
        .output()
        .expect("cmake is there");
    std::fs::remove_file(&script).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let split = |line: &str| {
        line.split(';')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    String::from_utf8(output.stderr).unwrap().lines().map(split).collect()
}

/// Catches a source that only one build has, on any architecture and system, and a command of sources.cmake that is
/// read differently than by CMake.
#[test]
fn lists_are_those_of_cmake() {
    let text = std::fs::read_to_string(root().join("src/sources.cmake")).unwrap();
    let mut seen = 0;
    for architecture in ["x86_64", "aarch64", "riscv64"] {
        for system in ["linux", "posix"] {
            let read = sources::read(&text, architecture, system);
            let ours: Vec<_> = LISTS
                .iter()
                .map(|list| read.get(*list).cloned().unwrap_or_default())
                .collect();
            seen += ours.iter().map(Vec::len).sum::<usize>();
            assert_eq!(ours, by_cmake(architecture, system), "{architecture}, {system}");
        }
    }
    assert!(seen > 300, "only {seen} sources");
}

/// Catches a listed file that does not exist, which the compiler would report late.
#[test]
fn all_are_there() {
    let text = std::fs::read_to_string(root().join("src/sources.cmake")).unwrap();
    for architecture in ["x86_64", "aarch64", "s390x"] {
        for file in sources::read(&text, architecture, "linux").into_values().flatten() {
            assert!(root().join(&file).is_file(), "{file}");
        }
    }
}

/// Catches an unsupported if() that is misread instead of being refused.
#[test]
#[should_panic(expected = "not understood")]
fn another_condition_is_refused() {
    sources::read("if(NOT WIN32)\nset(LIST file.c)\nendif()", "x86_64", "linux");
}
