# SPDX-License-Identifier: BSD-2-Clause
"""Lines of progress, and NO_COLOR."""

import os
import re
import select
import signal
import subprocess

import pytest

from command import TIMEOUT, ends_quietly, in_environment, run, start, with_terminal

WRITTEN = r"cprng: ([0-9.]+ [KMGT]?i?B) written( of ([0-9.]+ [KMGT]?i?B) \(\d+ %\))? in [0-9.]+ s, [0-9.]+ [KMGTPE]?i?B/s(, .* left)?"


def test_last_line(tmp_path):
    """Catches a line of progress that is missing or wrong."""
    result = run("bytes", "3M", "-o", tmp_path / "out", "--progress")
    assert result.returncode == 0
    found = re.fullmatch(WRITTEN + "\n", result.stderr.decode())
    assert found[1] == "3.0 MiB"
    key = "00" * 32
    result = run("stream", "--engine", "chacha20", "--key", key, "1M", "--progress")
    assert re.fullmatch(WRITTEN + "\n", result.stderr.decode())


@pytest.mark.parametrize("milliseconds, shown", [
    (0, r"0\.000 s, .*"), (20, r"0\.020 s, 150 MiB"), (999, r"0\.999 s, 3\.0 MiB"), (2000, r"2\.0 s, 1\.5 MiB"),
])  # fmt: skip
def test_rate(milliseconds, shown, preload, tmp_path):
    """Catches a rate that does not match the time on the line."""
    # The command's first call takes the time of the start.
    environment = preload(f"""
        #include <time.h>
        int clock_gettime(clockid_t clock, struct timespec *now)
        {{
            static int calls;
            if (clock != CLOCK_MONOTONIC)
                return NEXT(clock_gettime)(clock, now);
            now->tv_sec = 1000 + (calls > 0 ? {milliseconds} / 1000 : 0);
            now->tv_nsec = calls > 0 ? {milliseconds} % 1000 * 1000000 : 0;
            calls++;
            return 0;
        }}
        """)
    result = run("bytes", "3M", "-o", tmp_path / "out", "--progress", env=environment)
    assert re.fullmatch(rf"cprng: 3\.0 MiB written in {shown}/s", result.stderr.decode().splitlines()[-1])


@pytest.mark.parametrize("arguments", [
    ["bytes", "1T"], ["hex", "1T"], ["u32", "-n", "inf"], ["uuid", "-n", "inf"],
    ["stream", "--engine", "chacha8", "--key", "00" * 32, "1T"],
])  # fmt: skip
def test_signal_prints_a_line(arguments):
    """Catches a signal that ends the command, or is lost while a write waits.

    The reader waits, so the command waits in the middle of a write.
    """
    process = start(*arguments, stdout=subprocess.PIPE)
    try:
        assert len(process.stdout.read(1000)) == 1000
        for _ in range(3):
            process.send_signal(signal.SIGUSR1)
            assert select.select([process.stderr], [], [], TIMEOUT)[0]
            text = process.stderr.readline().decode()
            found = re.fullmatch(WRITTEN + "\n", text)
            assert found
            assert (found[3] == "1.0 TiB" if "1T" in arguments and arguments[0] != "hex" else True)
        assert process.poll() is None
        assert len(process.stdout.read(2**20)) == 2**20
    finally:
        process.stdout.close()
        assert process.wait(TIMEOUT) == 0
        process.stderr.close()


def test_ignored_signal_stays_ignored():
    """Catches a handler for a signal that the parent has ignored."""
    process = start("bytes", "inf", stdout=subprocess.PIPE,
                    preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN))  # fmt: skip
    assert len(process.stdout.read(1000)) == 1000
    process.send_signal(signal.SIGUSR1)
    assert len(process.stdout.read(2**22)) == 2**22
    ends_quietly(process)


def on_terminal(arguments, environment, read=None):
    """Runs with a terminal as standard error and a pipe as standard output; returns the terminal's output."""

    def use(end, _):
        process = start(*arguments, stdout=subprocess.PIPE, stderr=end, env=in_environment(TERM="xterm") | environment)
        if read:
            read(process.stdout)
        process.stdout.close()
        process.wait(TIMEOUT)

    return with_terminal(use)[1].decode()


def test_line_is_rewritten_on_a_terminal():
    """Catches a progress line that never comes, or stays open when the reader goes."""

    def read(pipe):
        # Until the command shows something, after its initial second.
        for _ in range(100_000):
            if len(pipe.read(2**20)) != 2**20:
                break
            if os.times().elapsed - begin > 3:
                break

    begin = os.times().elapsed
    shown = on_terminal(["bytes", "inf"], {}, read)
    assert re.search(r"\rcprng: [0-9.]+ [MGT]iB written in [0-9.]+ s, [0-9.]+ [KMG]iB/s\x1b\[K", shown)
    assert shown.endswith("\n")


@pytest.mark.parametrize("environment, coloured", [
    ({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False),
])  # fmt: skip
def test_colour(environment, coloured):
    """Catches colour despite NO_COLOR."""
    shown = on_terminal(["byets"], environment)
    assert ("\x1b[1;31mcprng:\x1b[0m unknown" in shown) == coloured
    assert ("\x1b" in shown) == coloured
    assert "unknown command 'byets'" in shown


def test_entropy_is_not_red():
    """Catches a password's message in the colour of errors."""
    shown = on_terminal(["password"], {}, lambda pipe: pipe.read())
    assert "bits of entropy" in shown and "\x1b" not in shown


def test_no_colour_in_a_file():
    """Catches control characters in a log."""
    assert b"\x1b" not in run("byets", env=in_environment(TERM="xterm")).stderr
