// SPDX-License-Identifier: BSD-2-Clause
//! Rust's and C's declarations agree: the C compiler sees both.
#![cfg(unix)] // cc

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const RUST: [&str; 4] = ["src/lib.rs", "src/stream.rs", "src/fortuna.rs", "src/draw/mod.rs"];
const HEADERS: [&str; 5] = ["cprng.h", "stream.h", "stream_numbers.h", "fortuna.h", "draw.h"];

/// A function as Rust declares it.
struct Function {
    name: String,
    arguments: Vec<String>,
    result: String,
}

fn functions() -> Vec<Function> {
    let mut found = Vec::new();
    for file in RUST {
        let text = std::fs::read_to_string(Path::new(HERE).join(file)).unwrap();
        for block in text.split("unsafe extern \"C\" {").skip(1) {
            let block = &block[..block.find("\n}").unwrap()];
            for declaration in block.split("fn ").skip(1) {
                let declaration = &declaration[..declaration.find(';').unwrap()];
                let (name, rest) = declaration.split_once('(').unwrap();
                let (arguments, result) = rest.rsplit_once(')').unwrap();
                found.push(Function {
                    name: name.into(),
                    arguments: arguments
                        .split(',')
                        .map(str::trim)
                        .filter(|argument| !argument.is_empty())
                        .map(|argument| c_type(argument.split_once(':').unwrap().1.trim()))
                        .collect(),
                    result: result.trim().strip_prefix("-> ").map_or("void".into(), c_type),
                });
            }
        }
    }
    found
}

fn c_type(rust: &str) -> String {
    if let Some(pointed) = rust.strip_prefix("*const ") {
        return match c_type(pointed) {
            pointer if pointer.ends_with('*') => format!("{pointer} const *"),
            value => format!("const {value} *"),
        };
    }
    if let Some(pointed) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(pointed));
    }
    match rust {
        "c_void" => "void",
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "usize" => "size_t",
        "f32" => "float",
        "f64" => "double",
        "u8" => "uint8_t",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "cprng_stream" | "cprng_fortuna" => rust,
        "cprng_selftest_report" => "report",
        structure if structure.starts_with("cprng_") => return format!("struct {structure}"),
        _ => panic!("what is {rust} in C?"),
    }
    .into()
}

/// Check a C text, and return the compiler's messages.
fn compile(text: &str, options: &[&str]) -> Result<(), String> {
    let mut compiler = Command::new(std::env::var("CC").unwrap_or("cc".into()))
        .args(["-std=gnu11", "-Werror", "-fsyntax-only", "-I"])
        .arg(Path::new(HERE).join("../../../include"))
        .args(options)
        .args(["-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    compiler.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = compiler.wait_with_output().unwrap();
    output.status.success().then_some(()).ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

fn prototypes(functions: &[Function]) -> String {
    let mut text = String::from(
        "#include <cprng/cprng.h>\n#include <cprng/fortuna.h>\n\
         typedef void (*report)(const struct cprng_selftest_result *, void *);\n",
    );
    for function in functions {
        let arguments = match function.arguments.join(", ") {
            none if none.is_empty() => "void".into(),
            some => some,
        };
        text += &format!("{} {}({arguments});\n", function.result, function.name);
    }
    text
}

/// Catches an argument or result whose type differs from the header's.
#[test]
fn prototypes_agree() {
    let functions = functions();
    assert!(functions.len() > 70, "only {} functions", functions.len());
    let options = ["-DCPRNG_NO_INLINE"];
    compile(&prototypes(&functions), &options).unwrap();
    // The same with one wrong type, which the compiler must refuse; otherwise it compares nothing.
    let mut wrong = functions;
    wrong[0].arguments[1] = "uint16_t".into();
    assert!(compile(&prototypes(&wrong), &options).is_err());
}

/// Catches a function of the headers missing from the crate, and one removed from them.
#[test]
fn all_functions_are_there() {
    let mut declared = BTreeSet::new();
    for header in HEADERS {
        let text = std::fs::read_to_string(Path::new(HERE).join("../../../include/cprng").join(header)).unwrap();
        let code = without_comments(&text);
        for line in code.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase())) {
            if let Some((before, _)) = line.split_once('(') {
                let name = before.rsplit([' ', '*']).next().unwrap();
                if name.starts_with("cprng_") && before.len() > name.len() {
                    declared.insert(name.to_owned());
                }
            }
        }
    }
    let ours: BTreeSet<_> = functions().into_iter().map(|function| function.name).collect();
    assert_eq!(declared, ours);
}

fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").unwrap().1;
    }
    code + rest
}

macro_rules! fields {
    ($($structure:ident { $($field:ident)* })*) => {
        [$((
            stringify!($structure),
            size_of::<cprng_sys::$structure>(),
            align_of::<cprng_sys::$structure>(),
            vec![$((stringify!($field), std::mem::offset_of!(cprng_sys::$structure, $field))),*],
        )),*]
    };
}

/// Catches a structure with another size, alignment or order of fields.
#[test]
fn layouts_agree() {
    let structures = fields! {
        cprng_draw { buffers rseq_offset cpus }
        cprng_info {
            engine backend placement entropy fork_guard memory_lock buffers state_bytes buffer_bytes refills_per_reseed
            seconds_per_reseed announcements generation_file generation_file_state
        }
        cprng_source_info { name state events samples }
        cprng_strong_info { engine backend locked_reads sources reseeds events dropped source }
        cprng_engine_info { name key_sizes nonce_sizes block_size rounds }
        cprng_selftest_result { engine backend usable selected failed }
        cprng_alias { share other }
        cprng_weights { table count sum bound refused }
        cprng_stream { next buffer opaque }
        cprng_fortuna_hooks { lock try_lock unlock now arg }
        cprng_fortuna_options { engine pool_min locked_reads hooks }
        cprng_fortuna_info { engine backend locked_reads seeded pool_min reserved reseeds events dropped }
    };
    let mut text = String::from("#include <cprng/cprng.h>\n#include <cprng/fortuna.h>\n");
    for (structure, size, alignment, fields) in &structures {
        let name = format!("struct {structure}");
        text += &format!("_Static_assert(sizeof({name}) == {size}, \"\");\n");
        text += &format!("_Static_assert(_Alignof({name}) == {alignment}, \"\");\n");
        for (field, offset) in fields {
            text += &format!("_Static_assert(offsetof({name}, {field}) == {offset}, \"\");\n");
        }
    }
    compile(&text, &[]).unwrap();
    assert!(compile(&text.replacen(" == 24", " == 32", 1), &[]).is_err());
}

/// Catches a constant with another value.
#[test]
fn constants_agree() {
    let mut text = String::from("#include <cprng/cprng.h>\n#include <cprng/fortuna.h>\n");
    let mut seen = 0;
    for file in ["src/types.rs", "src/stream.rs", "src/fortuna.rs"] {
        for line in std::fs::read_to_string(Path::new(HERE).join(file)).unwrap().lines() {
            if let Some(constant) = line.strip_prefix("pub const ") {
                let (name, _) = constant.split_once(':').unwrap();
                let (_, value) = constant.split_once(" = ").unwrap();
                text += &format!("_Static_assert({name} == {}, \"{name}\");\n", value.trim_end_matches(';'));
                seen += 1;
            }
        }
    }
    assert!(seen > 25, "only {seen} constants");
    compile(&text, &[]).unwrap();
}

/// Catches a crate whose version differs from the C library's.
#[test]
fn versions_agree() {
    // SAFETY: a static string.
    let linked = unsafe { std::ffi::CStr::from_ptr(cprng_sys::cprng_version()) };
    assert_eq!(linked.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}
