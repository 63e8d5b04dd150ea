# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the library's promises to every program that draws from it.  Files that import them need the fixture `served`, subject.h's
program (dropin.Served)."""

from dropin import distinct


def test_forks(served):
    """Catches a child that draws what its parent drew, by any of the functions."""
    distinct(served.good("forks").split(), 200 + 3 * 2 * 200)


def test_threads(served):
    """Catches threads that receive the same bytes."""
    distinct([served.of_threads[i:i + 16] for i in range(0, len(served.of_threads), 16)], 4 * 200000)


def test_children_in_the_memory_of_their_parent(served):
    """Catches children of vfork and of clone with CLONE_VM that receive the bytes of their parent's threads."""
    values = served.good("shared-memory").split()
    distinct(values, len(values))
    assert len(values) > 70 * 1500 + 10 * 1500


def test_nothing_remains(served):
    """Catches served bytes that remain in the process's memory (one secret is left there on purpose)."""
    assert served.run("remains").stdout == b"1 found in all memory\n"


def test_without_the_kernel_it_aborts(served):
    """Catches output, or a silent exit, where the kernel refuses what a new process needs."""
    result = served.run("refused")
    assert result.stdout.decode() == "".join(f"child {i}: signal 6, exit 0\n" for i in range(4))
    assert result.stderr.decode() == 4 * "cprng: no random numbers from the kernel: getrandom: error 1\n"


def test_sandbox(served):
    """Catches a system call that would kill a sandboxed program, at the draws of threads and a child."""
    lines = served.good("sandboxed").split(b"\n")
    assert lines[-2] == b"signal 0, exit 0"
    distinct(lines[:-2], 8)
