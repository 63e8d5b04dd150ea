# SPDX-License-Identifier: BSD-2-Clause
"""info, selftest, --version, --help."""

import json
import os
import re

import pytest

from command import COMMANDS, ENGINES, ROOT, good, in_environment, refused, run

STRINGS = ["version", "engine", "backend", "placement", "entropy", "fork_guard", "memory_lock"]
NUMBERS = ["buffers", "state_bytes", "buffer_bytes", "refills_per_reseed", "seconds_per_reseed"]
ANNOUNCED = ["announcements", "generation_file", "generation_file_state"]
STRONG = ["engine", "backend", "locked_reads", "reseeds", "events", "dropped", "sources"]
SOURCES = ["kernel", "cpu-seed", "cpu-random", "jitter", "vm-generation", "application"]
STATES = ["absent", "starting", "healthy", "retired", "used", "unused"]


def header_version():
    header = (ROOT / "include" / "cprng" / "cprng.h").read_text()
    return ".".join(re.search(rf"CPRNG_VERSION_{part} (\d+)", header).group(1) for part in ["MAJOR", "MINOR", "PATCH"])


def test_info_json():
    """Catches a member of `info --json` that is missing, has another type, or an undocumented value."""
    info = json.loads(good("info", "--json"))
    assert list(info) == STRINGS + NUMBERS + ANNOUNCED + ["strong"]
    assert all(isinstance(info[name], str) and info[name] for name in STRINGS + ANNOUNCED if name != "generation_file")
    assert (info["generation_file"] == "") == (info["generation_file_state"] == "none")
    assert all(isinstance(info[name], int) and info[name] >= 0 for name in NUMBERS)
    assert info["version"] == header_version()
    assert info["engine"] in ENGINES
    assert info["placement"] in ["per-cpu", "slots", "unbuffered"]
    assert info["entropy"] in ["vdso-getrandom", "getrandom", "getentropy"]
    assert info["fork_guard"] in ["wipe-on-fork", "unbuffered"]
    assert info["memory_lock"] in ["locked", "refused", "none"]
    assert info["buffer_bytes"] <= info["state_bytes"]


@pytest.mark.parametrize("value, warned", [("slot", "did you mean 'slots'?"), ("SLOTS", "ignored"), ("percpu", "(known: slots own)"), ("own", None)])
def test_unknown_placement(value, warned):
    """Catches a value of CPRNG_PLACEMENT that is ignored without a word, and a warning that changes the output or status."""
    result = run("u32", "--seed", 1, env=in_environment(CPRNG_PLACEMENT=value))
    assert (result.returncode, result.stdout) == (0, good("u32", "--seed", 1))
    shown = result.stderr.decode()
    assert shown == "" if warned is None else (
        shown.startswith(f"cprng: warning: CPRNG_PLACEMENT: '{value}' is ignored") and warned in shown and shown.count("\n") == 1
    )


DRAWING = [
    ["hex", 4], ["bytes", 4], ["bytes", 4, "--strong"], ["u8"], ["u64", "--below", 7], ["int", 1, 6], ["float"], ["normal"],
    ["exponential"], ["dice", "d6"], ["uuid"], ["uuid", 7], ["password"], ["phrase"], ["shuffle", "-e", "a", "b"],
    ["pick", "-e", "a", "b"], ["pick", "-i", "1-6"], ["shuffle", "-r", "-n", 2, "-e", "a", "b"], ["seed-file", "seed"], ["info"],
    ["hex", 4, "-o", "old"], ["bytes", 4, "--key", "00" * 32, "-o", "new"],
]  # fmt: skip


def test_no_entropy(preload, tmp_path):
    """Catches a command ended by SIGABRT, with a core file, where the kernel refuses getrandom; and a file that is lost."""
    environment = preload("""
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        __attribute__((constructor)) static void refuse(void)
        {
            struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
            if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
                _exit(99);
        }
        """)
    (tmp_path / "old").write_bytes(b"kept")
    (tmp_path / "seed").write_bytes(b"s" * 64)
    for arguments in DRAWING:
        refused(run(*arguments, env=environment, cwd=tmp_path), 1, "getrandom: Function not implemented")
    assert sorted(os.listdir(tmp_path)) == ["old", "seed"]
    assert (tmp_path / "old").read_bytes() + (tmp_path / "seed").read_bytes() == b"kept" + b"s" * 64
    # What needs no randomness works.
    for arguments in [["stream", "--seed", 1, 9], ["u8", "--seed", 1], ["dice", "d6", "--seed", 1], ["pick", "--seed", 1, "-e", "a", "b"]]:
        assert good(*arguments, env=environment) == good(*arguments)
    good("selftest", env=environment)


def test_info_json_strong():
    """Catches a report on cprng_strong that lacks a member or source, or was made before the first reseed."""
    info = json.loads(good("info", "--json"))
    strong = info["strong"]
    assert list(strong) == STRONG
    assert (strong["engine"], strong["backend"]) == (info["engine"], info["backend"])
    assert isinstance(strong["locked_reads"], bool) and strong["dropped"] == 0
    if info["fork_guard"] == "unbuffered":
        assert strong["sources"] == []
        return
    assert not strong["locked_reads"]
    assert strong["reseeds"] >= 1 and strong["events"] >= 1
    assert [source["name"] for source in strong["sources"]] == SOURCES
    for source in strong["sources"]:
        assert list(source) == ["name", "state", "events", "samples"]
        assert source["state"] in STATES
        assert isinstance(source["events"], int) and isinstance(source["samples"], int)
        assert source["events"] == 0 or source["state"] in ["starting", "healthy"]
    assert strong["sources"][0]["events"] >= 1
    assert strong["sources"][-1]["state"] == "unused"


def test_info_text():
    """Catches a field that only one form of `info` has, or shows differently."""
    fields = dict(re.fullmatch(r"(\S+) +(.*)", line).groups() for line in good("info").decode().splitlines())
    info = json.loads(good("info", "--json"))
    strong = info.pop("strong")
    sources = strong.pop("sources")
    for name, value in info.items():
        assert fields.pop(name) == str(value)
    for name, value in strong.items():
        shown = fields.pop(f"strong_{name}")
        # Their number differs between processes.
        assert shown.isdigit() if name in ["reseeds", "events"] else shown == json.dumps(value).strip('"')
    for source in sources:
        assert fields.pop(f"source_{source['name']}") in STATES
    assert not fields


def test_selftest_json():
    """Catches an untested engine, one with two selected backends or none, or with an unusable one."""
    document = json.loads(good("selftest", "--json"))
    assert document["failed"] == 0 and document["version"] == header_version()
    results = document["results"]
    assert {r["engine"] for r in results} == {*ENGINES, "numbers"}
    assert len({(r["engine"], r["backend"]) for r in results}) == len(results)
    for result in results:
        assert set(result) == {"engine", "backend", "usable", "selected", "failed"}
        assert result["failed"] == 0
        assert result["usable"] or not result["selected"]
    for engine in [*ENGINES, "numbers"]:
        assert sum(r["selected"] for r in results if r["engine"] == engine) == 1


def test_selftest_table():
    """Catches a table with other backends or results than the JSON."""
    lines = good("selftest").decode().splitlines()
    assert lines[0].split() == ["ENGINE", "BACKEND", "SELECTED", "RESULT"]
    results = json.loads(good("selftest", "--json"))["results"]
    assert [line.split()[:2] for line in lines[1:]] == [[r["engine"], r["backend"]] for r in results]
    for line, result in zip(lines[1:], results):
        assert line.split()[2] == ("yes" if result["selected"] else "-")
        assert line.endswith("passed" if result["usable"] else "not usable on this machine")


def test_version():
    """Catches a version other than the header's."""
    assert good("--version") == f"cprng {header_version()}\n".encode()


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(option):
    """Catches a command that --help does not list, and one that the tests do not know."""
    text = good(option).decode()
    assert "cprng" in text and "--version" in text
    assert sorted(re.findall(r"(?m)^  ([a-z][a-z0-9-]*) +\S", text.split("Examples:")[0])) == sorted(COMMANDS)


@pytest.mark.parametrize("command, words", [
    ("bytes", ["SIZE", "--output FILE", "--strong", "--force", "KiB"]),
    ("u32", ["--count COUNT", "--below N"]), ("u64", ["--count COUNT", "--below N"]),
    ("stream", ["SIZE", "--engine NAME", "--key HEX", "--nonce HEX", "--offset SIZE", "--force", *ENGINES]),
    ("bytes", ["--hex", "--base32", "--base64", "--base64url", "--wrap COLS", "--progress"]),
    ("hex", ["SIZE", "--wrap COLS", "--strong"]),
    ("int", ["LO", "HI", "LO-HI", "--json"]), ("exponential", ["--mean NUMBER"]), ("help", ["COMMAND"]), ("base64", ["--count COUNT"]), ("dice", ["DICE", "3d6+2", "--verbose"]), ("uuid", ["VERSION", "-4", "-7", "--json"]),
    ("normal", ["--mean NUMBER", "--deviation NUMBER"]), ("float", ["--count COUNT"]),
    ("password", ["LENGTH", "--length LENGTH", "--alphabet NAME", "--characters TEXT", "--each", "--bits BITS"]),
    ("phrase", ["WORDS", "--separator TEXT", "--list FILE", "CC BY 3.0"]),
    ("shuffle", ["FILE", "--echo", "--zero", "--memory SIZE", "--count COUNT", "--repeat", "--input-range LO-HI"]),
    ("pick", ["--count COUNT", "--echo", "--repeat", "--input-range LO-HI"]),
    ("run", ["COMMAND", "--devices", "--report"]), ("completion", ["bash, zsh or fish"]),
    ("seed-file", ["FILE", "--no-kernel"]), ("info", ["--json"]), ("selftest", ["--json"]),
])  # fmt: skip
def test_help_of_command(command, words):
    """Catches an option missing from its command's help."""
    text = good(command, "--help").decode()
    assert f"cprng {command}" in text
    for word in words:
        assert word in text


def test_help_and_version_as_commands():
    """Catches a command that prints something else than the option with its name, and a command line of nothing without help."""
    assert good("help") == good("--help") == good("-h") == good()
    assert good("version") == good("--version") == good("-V")
    for command in COMMANDS:
        assert good("help", command) == good(command, "--help") == good(command, "-h")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command):
    """Catches a help without examples, or an example with an option that the command lacks."""
    text = good(command, "--help").decode()
    examples = re.findall(r"(?m)^  (.*cprng .*?)(?:   .*)?$", text.split("Examples:")[1])
    assert examples
    for example in examples:
        assert re.search(rf"\bcprng {command}\b", example)
        for option in re.findall(r"(?<= )--?[a-z][a-z-]*", example.split("|")[0].split("--key-file")[0]):
            assert option in text
