# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab: wrong command lines, files that cannot be written, and runs that Ctrl-C ends, of each command that measures.

CPRNG_LAB   path of cprng-lab
"""

import pytest
from commands import interrupted, printed_is_kept, refused, run


@pytest.mark.parametrize("arguments, culprits", [
    ([], ["subcommand"]),
    (["frobnicate"], ["frobnicate"]),
    (["choices", "--most", "10"], ["--most", "10"]),
    (["choices", "--only", "read,dice"], ["--only", "dice"]),
    (["choices", "--quick", "--most", "10000"], ["--quick", "--most"]),
    (["fortuna", "--frobnicate"], ["--frobnicate"]),
    (["fortuna", "extra"], ["extra"]),
    (["fortuna", "--readers", "0"], ["--readers", "0"]),
    (["fortuna", "--readers", "1,x"], ["--readers", "x"]),
    (["fortuna", "--readers", "65"], ["--readers", "65"]),
    (["fortuna", "--readers"], ["--readers"]),
    (["fortuna", "--size", "4kib,3parsecs"], ["--size", "parsecs"]),
    (["fortuna", "--size", "1"], ["--size"]),
    (["fortuna", "--size", "1TiB"], ["--size"]),
    (["fortuna", "--seconds", "0"], ["--seconds", "0"]),
    (["fortuna", "--seconds", "x"], ["--seconds", "x"]),
    (["fortuna", "--repetitions", "0"], ["--repetitions", "0"]),
    (["fortuna", "--quick", "--seconds", "1"], ["--quick", "--seconds"]),
    (["cprng-fast", "--scale", "0"], ["--scale", "0"]),
    (["cprng-fast", "--scale", "1.5"], ["--scale", "1.5"]),
    (["cprng-fast", "--scale", "x"], ["--scale", "x"]),
    (["cprng-fast", "--scale", "0.1", "--full"], ["--scale", "--full"]),
    (["cprng-fast", "--scale", "0.1", "--quick"], ["--scale", "--quick"]),
    (["cprng-fast", "--full", "--quick"], ["--full", "--quick"]),
    (["cprng-fast", "--full", "--repetitions", "2"], ["--full", "--repetitions"]),
    (["cprng-fast", "--seconds", "1"], ["--seconds"]),
    (["cprng-fast", "--repetitions", "0"], ["--repetitions", "0"]),
    (["cprng-fast", "more"], ["more"]),
    (["latency", "--seconds", "0"], ["--seconds", "0"]),
    (["latency", "--frobnicate"], ["--frobnicate"]),
    (["impact", "--seconds", "x"], ["--seconds", "x"]),
    (["impact", "more"], ["more"]),
    (["statclock", "--repetitions", "x"], ["--repetitions", "x"]),
    (["statclock", "--quick", "--seconds", "1"], ["--quick", "--seconds"]),
    (["all", "--full", "--quick"], ["--full", "--quick"]),
    (["all", "--frobnicate"], ["--frobnicate"]),
    (["others", "--only", "getrandom,rot13"], ["rot13", "cprng cprng-strong"]),
    (["others", "--largest", "0"], ["--largest", "0"]),
    (["others", "--largest", "much"], ["--largest"]),
    (["others", "--threads", "0"], ["--threads", "0"]),
    (["others", "--quick", "--largest", "1MiB"], ["--quick", "--largest"]),
    (["others", "--quick", "--threads", "9"], ["--quick", "--threads"]),
    (["others", "--quick", "--seconds", "1"], ["--quick", "--seconds"]),
    (["others", "more"], ["more"]),
    (["sizes", "--only", "cprng,rot13"], ["rot13", "cprng cprng-strong"]),
    (["sizes", "--most", "0"], ["--most", "0"]),
    (["sizes", "--most", "much"], ["--most"]),
    (["sizes", "--quick", "--most", "1MiB"], ["--quick", "--most"]),
    (["sizes", "more"], ["more"]),
    (["sweep", "colours"], ["colours"]),
    (["sweep", "buffer", "--seconds", "0"], ["--seconds", "0"]),
    (["sweep", "buffer", "--quick", "--repetitions", "3"], ["--quick", "--repetitions"]),
    (["sweep", "buffer", "more"], ["more"]),
])  # fmt: skip
def test_bad_command_line(arguments, culprits):
    """Catches a wrong command line that is measured all the same."""
    refused(run(*arguments), 2, *culprits)


@pytest.mark.parametrize("command", ["cprng-fast", "latency", "impact", "statclock", "all", "fortuna", "others"])
def test_unwritable_file(command, tmp_path):
    """Catches an unwritable file that is detected only after the measurements."""
    refused(run(command, "--quick", "--json", tmp_path / "none" / "x.json"), 1, "x.json", "No such file")
    refused(run(command, "--quick", "--json", tmp_path), 1, str(tmp_path), "directory")


@pytest.mark.parametrize("arguments, seconds", [
    (["cprng-fast", "--scale", "0.0001"], 1), *(([command], 1) for command in ["latency", "impact", "statclock", "all"]),
    (["fortuna", "--seconds", "0.01"], 2), (["sweep"], 2),
    (["others", "--only", "cprng,getrandom,go-math-rand", "--largest", "1MiB", "--threads", "50"], 1),
])  # fmt: skip
def test_interrupt(arguments, seconds, tmp_path):
    """Catches figures that Ctrl-C loses, or that are printed differently than they are kept, and a --scale that is ignored."""
    out, document = interrupted(tmp_path / "x.json", *arguments, "--repetitions", "1000", seconds=seconds)
    assert document["tables"]
    printed_is_kept(out, document)
    if arguments[0] == "fortuna":
        assert any(document["repetitions"].values())
    if arguments[0] == "cprng-fast":
        assert document["settings"]["scale"] == 0.0001
        assert all(one["bytes_each"] == pytest.approx(4 * 2**30 / 10000) for one in document["repetitions"]["cprng_fast"] if "ways" in one)
    if arguments[0] == "sweep":
        assert [*document["tables"]] == ["sweep_placement"]
