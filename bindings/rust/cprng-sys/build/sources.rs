// SPDX-License-Identifier: BSD-2-Clause
//! The lists of src/sources.cmake, which every build of the library uses.
//!
//! This reads a subset of CMake's language: set() and list(APPEND) of words, and if(), elseif(), else() and endif() on
//! one variable.  Anything else stops the build with its line; tests/sources.rs compares the result with CMake's.

use std::collections::HashMap;

type Lists = HashMap<String, Vec<String>>;

/// Read the lists for an architecture and a system (linux, posix), by variable name.
pub fn read(text: &str, architecture: &str, system: &str) -> Lists {
    let mut lists = Lists::new();
    // For each open if(): whether its commands are executed, and whether a branch has been.
    let mut open: Vec<(bool, bool)> = Vec::new();
    for (command, arguments) in commands(text) {
        let holds = || condition(&arguments, architecture, system);
        let outer = |open: &[(bool, bool)]| open.iter().all(|(taken, _)| *taken);
        match command.as_str() {
            "if" => {
                let holds = outer(&open) && holds();
                open.push((holds, holds));
            }
            "elseif" | "else" => {
                let (_, before) = open.pop().expect("an if() before elseif() and else()");
                let holds = outer(&open) && !before && (command == "else" || holds());
                open.push((holds, before || holds));
            }
            "endif" => {
                open.pop().expect("an if() before endif()");
            }
            _ if !outer(&open) => {}
            "set" => {
                let words = expanded(&arguments[1..], &lists);
                lists.insert(arguments[0].clone(), words);
            }
            "list" if arguments[0] == "APPEND" => {
                let words = expanded(&arguments[2..], &lists);
                lists.entry(arguments[1].clone()).or_default().extend(words);
            }
            _ => panic!("sources.cmake: {command}({}) is not understood", arguments.join(" ")),
        }
    }
    assert!(open.is_empty(), "sources.cmake: an if() without its endif()");
    lists
}

/// Each command and its arguments.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let text: String = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or("").to_owned() + "\n")
        .collect();
    let mut rest = text.as_str();
    let mut found = Vec::new();
    while let Some(begin) = rest.find('(') {
        let command = rest[..begin].trim().to_owned();
        let end = closing(rest, begin);
        let arguments = rest[begin + 1..end].split_whitespace().map(str::to_owned).collect();
        found.push((command, arguments));
        rest = &rest[end + 1..];
    }
    assert!(rest.trim().is_empty(), "sources.cmake ends in {:?}", rest.trim());
    found
}

/// The position of the parenthesis that closes the one at `begin`; quoted ones are text.
fn closing(text: &str, begin: usize) -> usize {
    let mut quoted = false;
    for (at, character) in text.char_indices().skip_while(|(at, _)| *at <= begin) {
        match character {
            '"' => quoted = !quoted,
            ')' if !quoted => return at,
            _ => {}
        }
    }
    panic!("sources.cmake: a command without its end")
}

/// `VARIABLE STREQUAL "text"` and `VARIABLE MATCHES "^(one|another)$"`.
fn condition(arguments: &[String], architecture: &str, system: &str) -> bool {
    let [variable, operator, pattern] = arguments else {
        panic!("sources.cmake: if({}) is not understood", arguments.join(" "))
    };
    let value = match variable.as_str() {
        "CMAKE_SYSTEM_PROCESSOR" => architecture,
        "CPRNG_OS" => system,
        _ => panic!("sources.cmake: the variable {variable} is not understood"),
    };
    let pattern = pattern.trim_matches('"');
    match operator.as_str() {
        "STREQUAL" => value == pattern,
        "MATCHES" => pattern
            .strip_prefix("^(")
            .and_then(|rest| rest.strip_suffix(")$"))
            .unwrap_or_else(|| panic!("sources.cmake: the pattern {pattern} is not understood"))
            .split('|')
            .any(|name| name == value),
        _ => panic!("sources.cmake: the operator {operator} is not understood"),
    }
}

/// `${NAME}` is replaced by that list.
fn expanded(words: &[String], lists: &Lists) -> Vec<String> {
    words
        .iter()
        .flat_map(
            |word| match word.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
                Some(name) => lists
                    .get(name)
                    .unwrap_or_else(|| panic!("sources.cmake: no list {name}"))
                    .clone(),
                None => vec![word.clone()],
            },
        )
        .collect()
}
