// SPDX-License-Identifier: BSD-2-Clause
//! Every public item has an example, which `cargo test` runs.

use std::path::Path;

/// Whether this is the first line of a public item.  A row of a function-making macro is one, a function in the macro is not.
fn begins_item(line: &str) -> bool {
    let line = line.trim_start();
    let public = ["pub fn ", "pub struct ", "pub enum ", "pub type "].iter().any(|begin| line.starts_with(begin));
    let row = line.ends_with(';') && line.split_once(": ").is_some_and(|(_, rest)| rest.contains(", cprng_"));
    (public && !line.contains('$')) || (row && !line.starts_with("///"))
}

/// Items without an example in their comment, and the total number of items.
fn without_example(text: &str) -> (Vec<&str>, usize) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut missing, mut seen) = (Vec::new(), 0);
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| begins_item(line)) {
        let comment = lines[..i].iter().rev().take_while(|line| line.trim_start().starts_with(['/', '#']));
        if !comment.into_iter().any(|line| line.trim_start().starts_with("/// ```")) {
            missing.push(*line);
        }
        seen += 1;
    }
    (missing, seen)
}

/// Catches a public item without an example; the documentation's tests run them.
#[test]
fn every_item_has_an_example() {
    let mut all = 0;
    for entry in Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).read_dir().unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (missing, seen) = without_example(&text);
        assert!(missing.is_empty(), "{}: {missing:#?}", path.display());
        all += seen;
    }
    assert!(all > 70, "only {all} items");
    assert_eq!(without_example("/// Text.\npub fn bare() {\n").0, ["pub fn bare() {"]);
}
