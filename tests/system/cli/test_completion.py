# SPDX-License-Identifier: BSD-2-Clause
"""Completion in real shells, and the installed files, which the command makes."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from command import COMMANDS, ENGINES, EMULATOR, ROOT, TIMEOUT, good, in_environment, line, terminal

FILES = {"bash": "cprng.bash", "zsh": "_cprng", "fish": "cprng.fish"}
COMPLETIONS = pathlib.Path(line()[-1]).parent / "cli" / "completions"


@pytest.mark.parametrize("shell", FILES)
def test_installed_file(shell):
    """Catches installed completions of an older version of the command."""
    assert good("completion", shell).decode() == (COMPLETIONS / FILES[shell]).read_text()


def complete_bash(text, directory):
    script = f"""
        source {COMPLETIONS}/cprng.bash
        complete -p cprng >/dev/null || exit 1
        COMP_LINE=$1 COMP_POINT=${{#1}}
        # As readline cuts it: '=' is a word.
        words=${{1//=/ = }}
        read -ra COMP_WORDS <<<"$words"
        [[ $words == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _cprng
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    return ["bash", "--norc", "-c", script, "bash", text], directory


def complete_zsh(text, directory):
    for end in terminal():  # zpty hangs if it cannot open one
        os.close(end)
    return ["zsh", "-f", ROOT / "tests" / "system" / "cli" / "complete.zsh", COMPLETIONS, text], directory


def complete_fish(text, directory):
    script = f"source {COMPLETIONS}/cprng.fish; complete -C $argv[1]"
    return ["fish", "--no-config", "-c", script, text], directory


@pytest.fixture(name="complete", params=FILES)
def completer(request, tmp_path):
    """Complete the end of a command line; returns the set of completions."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    if EMULATOR:
        pytest.skip("the shells are not emulated")
    (tmp_path / "some file").write_text("")
    (tmp_path / "some-key.hex").write_text("")

    def offered(text):
        arguments, directory = {"bash": complete_bash, "zsh": complete_zsh, "fish": complete_fish}[shell](text, tmp_path)
        result = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, timeout=TIMEOUT, check=False,
                                env=in_environment(HOME=tmp_path, TERM="dumb"))  # fmt: skip
        assert result.returncode == 0, result.stderr
        if shell == "zsh":
            return {one.replace("\\", "") for one in re.findall(r"<([^<>\n]*)>", result.stdout.replace("\r", ""))}
        # fish appends descriptions after a tab.
        return {line.split("\t")[0].strip("'").replace("\\ ", " ") for line in result.stdout.splitlines() if line}

    offered.shell = shell
    return offered


def test_commands(complete):
    """Catches a command that is not offered."""
    assert complete("cprng ") >= set(COMMANDS)
    assert {"base32", "base64", "base64url"} <= complete("cprng base")
    assert complete("cprng base") == {"base32", "base64", "base64url"}
    assert complete("cprng sel") == {"selftest"}
    assert complete("cprng zzz") == set()


def test_options(complete):
    """Catches an option that is not offered, or that of another command."""
    assert {"--hex", "--output", "--key-file", "--wrap", "--help"} <= complete("cprng bytes --")
    assert "--below" not in complete("cprng bytes --")
    assert {"--below", "--count", "--json"} <= complete("cprng u32 --")
    assert {"-4", "-5", "-7", "--name", "--count"} <= complete("cprng uuid -")
    assert {"--input-range", "--repeat", "--count"} <= complete("cprng shuffle --") & complete("cprng pick --")
    assert "--hex" not in complete("cprng u32 --")


def test_values(complete):
    """Catches a known value that is not offered."""
    assert complete("cprng stream --engine ") >= set(ENGINES)
    assert {"alnum", "graph"} <= complete("cprng password --alphabet ")
    assert {"bash", "zsh", "fish"} <= complete("cprng completion ")
    assert {"4", "5", "7"} <= complete("cprng uuid ")
    assert {"bytes", "help", "uuid"} <= complete("cprng help ")


def test_values_behind_an_equals_sign(complete):
    """Catches a shell that treats --engine=NAME as another word."""
    found = complete("cprng stream --engine=sal")
    assert {name.rpartition("=")[2] for name in found} >= {"salsa20", "salsa20-12", "salsa20-8"}


def test_programs(complete):
    """Catches `cprng run` without program names, without their arguments, or with options that are not theirs."""
    assert "grep" in complete("cprng run gre")
    assert "grep" in complete("cprng run --report gre")
    assert {"--devices", "--report"} <= complete("cprng run --")
    for text in ["cprng run cat so", "cprng run --report --devices cat so", "cprng run -- cat -n so"]:
        assert {"some file", "some-key.hex"} <= complete(text)
    assert not {"--devices", "--report"} & complete("cprng run cat --")
    # By the program's own completion; bash's is in a separate package.
    assert complete("cprng run --report cprng sel") == ({"selftest"} if complete.shell != "bash" else set())


@pytest.mark.parametrize("function", ["_comp_command_offset", "_command_offset"])
def test_programs_in_bash(function, tmp_path):
    """Catches arguments that bash-completion's function does not receive, or receives with a wrong offset."""
    if shutil.which("bash") is None or EMULATOR:
        pytest.skip("no bash")
    arguments, directory = complete_bash("cprng run --report grep -x ", tmp_path)
    arguments[3] = f"{function}() {{ COMPREPLY=(word $1 of ${{COMP_WORDS[$1]}}); }}\n" + arguments[3]
    result = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert result.stdout.split() == ["word", "3", "of", "grep"]


def test_files(complete):
    """Catches a file name that is not offered where one is expected, or is split at a blank."""
    for text in ["cprng shuffle so", "cprng bytes 5 -o so", "cprng bytes 5 --key-file so", "cprng seed-file so"]:
        assert {"some file", "some-key.hex"} <= complete(text)
    assert not {"some file", "some-key.hex"} & complete("cprng u32 --below ")
