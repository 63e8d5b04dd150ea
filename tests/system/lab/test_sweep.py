# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab sweep: every value has its row, the default is the library's, and the best value is marked.

CPRNG_LAB   path of cprng-lab
"""

import ctypes
import json
import math
import pathlib
import re
import subprocess
import sys

import pytest
from commands import TIMEOUT, document_of, kept_run, line, rows_of

ROOT = pathlib.Path(__file__).parent.parent.parent.parent

LABELS = {
    "placement": ["library: per CPU", "library: slots", "one, mutex", "one, spin lock", "one a thread",
                  "one a CPU, claimed"],
    "placement-randp": ["one a thread", "one, mutex", "one a CPU, claimed"],
    "buffer": ["2 KiB", "4 KiB", "8 KiB", "16 KiB", "32 KiB"],
    "refills": ["1", "2", "4", "8", "16", "32", "64", "256"],
    "engine": ["aes256-ctr", "chacha20", "chacha12", "chacha8", "salsa20", "salsa20-12", "salsa20-8"],
    "threshold": ["64 B", "128 B", "256 B", "512 B", "896 B"],
    "streaming": ["128 KiB", "512 KiB", "1 MiB", "2 MiB", "8 MiB", "32 MiB", "never"],
    "stream-buffer": ["256 B", "512 B", "1 KiB", "2 KiB", "4 KiB"],
    "prng-params": [f"{keys} x {rounds}" for keys in range(1, 5) for rounds in range(1, 6)]
                   + ["3 x 1, decryption", "3 x 1, Davies-Meyer", "3 x 1, both"],
    "num-blocks": [f"{n} ({16 * n} B)" for n in (4, 8, 16, 32, 64, 128, 256)],
    "reseed-countdown": ["16", "64", "256", "1024", "4096", "16384", "65536", "262144"],
}
OF_RANDP = ["placement-randp", "prng-params", "num-blocks", "reseed-countdown"]


def table_name(sweep):
    return "sweep_" + sweep.replace("-", "_")


def constant(file, name):
    """The library's constants, from its sources."""
    text = (ROOT / file).read_text()
    value = re.search(rf"(?:#define {name} (.*)|\b{name} = (.*),)\n", text)
    value = value[1] or value[2]
    shifted = re.fullmatch(r"\(\(size_t\)(\d+) << (\d+)\)", value)
    return int(shifted[1]) << int(shifted[2]) if shifted else int(value)


@pytest.fixture(scope="module", name="document")
def quick_run():
    return document_of("sweep")


def marked(rows, word):
    return [row["label"] for row in rows if word in (row["mark"] or "")]


def could_run(rows):
    return rows[0]["label"] != "not here"


@pytest.mark.parametrize("sweep", LABELS)
def test_rows(document, sweep):
    """Catches a sweep's value that is omitted or measured twice."""
    rows = rows_of(document, table_name(sweep))
    if sweep in OF_RANDP and not could_run(rows):
        assert "not here" in document["tables"][table_name(sweep)]["notes"][0].lower()
        return
    assert [row["label"] for row in rows] == LABELS[sweep]


@pytest.mark.parametrize("sweep", LABELS)
def test_default_and_winner(document, sweep):
    """Catches a mark at the wrong row, and a score that is not relative to the default."""
    rows = rows_of(document, table_name(sweep))
    if sweep in OF_RANDP and not could_run(rows):
        pytest.skip("randp's design is not for this CPU")
    assert len(marked(rows, "default")) == len(marked(rows, "winner")) == 1
    by_label = {row["label"]: row["score"]["median"] for row in rows}
    assert by_label[marked(rows, "default")[0]] == 1
    assert by_label[marked(rows, "winner")[0]] == min(by_label.values())


def test_score_is_the_mean_of_ratios(document):
    """Catches a score that omits a task or mixes repetitions."""
    for sweep in LABELS:
        rows = rows_of(document, table_name(sweep))
        if sweep in OF_RANDP and not could_run(rows):
            continue
        default = marked(rows, "default")[0]
        ns = {(raw["label"], raw["what"]): raw["ns"] for raw in document["repetitions"][table_name(sweep)]}
        tasks = list(dict.fromkeys(what for _, what in ns))
        for row in rows:
            scores = [math.prod(ns[row["label"], what][i] / ns[default, what][i] for what in tasks) ** (1 / len(tasks))
                      for i in range(2)]
            assert row["score"]["median"] == pytest.approx(sum(scores) / 2), (sweep, row["label"])


@pytest.mark.parametrize("sweep, file, name", [
    ("buffer", "src/core/buffer.h", "CPRNG_PORT_BUFFER"),
    ("refills", "src/process/draw.h", "CPRNG_REFILLS_PER_RESEED"),
    ("threshold", "src/process/draw.h", "CPRNG_SHORT_MAX"),
    ("streaming", "src/core/lengths.h", "CPRNG_STREAMING_MIN"),
    ("stream-buffer", "include/cprng/stream.h", "CPRNG_STREAM_BUFFER"),
])  # fmt: skip
def test_default_is_the_constant(document, sweep, file, name):
    """Catches a default that differs from the library's."""
    values = [row["value"] for row in rows_of(document, table_name(sweep)) if "default" in (row["mark"] or "")]
    assert values == [constant(file, name)]


class Info(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_char_p) for name in ("engine", "backend", "placement", "entropy", "fork_guard",
                                                       "memory_lock")),
                *((name, ctypes.c_uint32) for name in ("buffers", "state_bytes", "buffer_bytes", "refills_per_reseed",
                                                       "seconds_per_reseed"))]  # fmt: skip


# In a child process: load it, draw, query it, and examine its buffers' memory.
WATCH = """
import ctypes, json, os, sys
sys.path.insert(0, sys.argv[1])
from test_sweep import Info
library = ctypes.CDLL(sys.argv[2])
page, short, refills = map(int, sys.argv[3:])
# The buffer of the last CPU lies elsewhere, whenever a buffer has another size.
cpu = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
out = ctypes.create_string_buffer(100000)
drawn = set()
for size in (*range(8, 2000), 100000):
    library.cprng_fast(out, ctypes.c_size_t(size))
    drawn.add(out.raw[:8])
info = Info()
library.cprng_get_info(ctypes.byref(info), ctypes.c_size_t(ctypes.sizeof(info)))
seen = {name: value.decode() if isinstance(value, bytes) else value
        for name, value in ((name, getattr(info, name)) for name, _ in Info._fields_)}
seen["different"] = len(drawn) == 1993
if info.placement == b"per-cpu":
    states = ctypes.c_void_p.in_dll(library, "cprng_draw_1").value
    left = ctypes.c_uint32.from_address(states + cpu * page)
    # The low 15 bits of a key's tag count the refills since its last reseed.
    tag = ctypes.c_uint16.from_address(states + cpu * page + (8 if sys.byteorder == "little" else 14))

    def taken(draw):
        # Into the next buffer that is full.
        for _ in range(page // 64):
            if left.value < min(page, 4096) // 2:
                library.cprng_fast(out, ctypes.c_size_t(64))
        before = left.value
        draw()
        return before - left.value

    seen["draw"] = taken(library.cprng_fast32)
    seen["short"], seen["long"] = (taken(lambda: library.cprng_fast(out, ctypes.c_size_t(size)))
                                   for size in (short, short + 1))
    seen["full"] = seen["most_refills"] = 0
    for _ in range(8 * refills * (page // min(short, 512))):
        library.cprng_fast(out, ctypes.c_size_t(min(short, 512)))
        seen["full"] = max(seen["full"], left.value)
        seen["most_refills"] = max(seen["most_refills"], tag.value & 0x7FFF)
print(json.dumps(seen))
"""


def variants():
    values = {"refills": LABELS["refills"], "engine": LABELS["engine"][1:], "buffer": ["2048", "8192", "16384", "32768"],
              "short": ["64", "128", "256", "896"]}  # fmt: skip
    defaults = {"refills": "16"}
    return ["default", "slots", *(f"{kind}-{value}" for kind, list_ in values.items() for value in list_
                                  if value != defaults.get(kind))]  # fmt: skip


@pytest.mark.parametrize("name", variants())
def test_variant_is_what_it_is_called(name):
    """Catches a variant that was built with the default.

    A library with another constant works, reports the constant, and behaves accordingly.
    """
    file = pathlib.Path(line()[0]).parent / "lab-variants" / f"{name}.so"
    kind, _, value = name.partition("-")
    page, short, refills = (int(value) if kind == what else default
                            for what, default in (("buffer", 4096), ("short", 512), ("refills", 16)))
    result = subprocess.run([sys.executable, "-B", "-c", WATCH, pathlib.Path(__file__).parent, file,
                             *map(str, (page, short, refills))], check=False, capture_output=True, text=True,
                            timeout=TIMEOUT)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    info = json.loads(result.stdout)
    assert info["different"]
    if kind == "engine":
        assert info["engine"] == value
    if info["placement"] == "unbuffered" and kind != "engine":
        pytest.skip("no buffers here")
    assert (info["buffer_bytes"], info["refills_per_reseed"]) == (page - 64, refills)
    if kind == "slots":
        assert info["placement"] == "slots"
    elif "draw" not in info:
        pytest.skip("no restartable sequences here: the buffers cannot be watched")
    else:
        # At the inlined draw's place; a short request completely, and a key for a long one.
        assert (info["draw"], info["short"], info["long"]) == (4, short, 32)
        assert page - 1024 - 64 < info["full"] <= page - 64
        assert info["most_refills"] == refills


# The buffered bytes after the first: the object begins with it.
STREAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
memory = ctypes.create_string_buffer(16384)
s = ctypes.c_void_p(ctypes.addressof(memory) + 63 & ~63)
library.cprng_stream_u8.restype = ctypes.c_uint8
assert library.cprng_stream_seed_integer(s, None, ctypes.c_uint64(1)) == 0
library.cprng_stream_u8(s)
print(-ctypes.c_ssize_t.from_address(s.value).value)
"""


@pytest.mark.parametrize("size", [256, 512, 1024, 2048, 4096])
def test_stream_variant_has_its_buffer(size):
    """Catches a variant of streams that was built with the default."""
    name = "default" if size == 1024 else f"stream-{size}"
    file = pathlib.Path(line()[0]).parent / "lab-variants" / f"{name}.so"
    result = subprocess.run([sys.executable, "-B", "-c", STREAM, file], check=False, capture_output=True, text=True,
                            timeout=TIMEOUT)  # fmt: skip
    assert (result.returncode, result.stdout) == (0, f"{size - 1}\n")


CHANGE = """
include({root}/lab/origins/sweep/changed_copy.cmake)
changed_copy({to} {file} "size = 1" "size = 2")
"""


@pytest.mark.parametrize("text, good", [
    ("size = 1;\n[;]\n", True),
    ("size = 3;\n", False),
    ("size = 1, size = 1", False),
])  # fmt: skip
def test_a_change_has_its_place(tmp_path, text, good):
    """Catches a constant in an unexpected form that is left unchanged.

    If the constant is written in another way, the configuration fails instead of building a library with the default.
    """
    file, to, script = (tmp_path / name for name in ("file.h", "changed.h", "script.cmake"))
    file.write_text(text)
    script.write_text(CHANGE.format(root=ROOT, to=to, file=file))
    result = subprocess.run(["cmake", "-P", script], check=False, capture_output=True, text=True)
    assert (result.returncode == 0) == good == to.exists()
    if good:
        assert to.read_text() == text.replace("1", "2")
    else:
        assert str(file) in result.stderr and "size = 1" in result.stderr


@pytest.mark.parametrize("sweep, tables", [("refills", ["refills"]), ("placement", ["placement", "placement-randp"])])
def test_one_of_them(tmp_path, sweep, tables):
    """Catches a sweep that also runs others, or not all of its own."""
    _, document = kept_run(tmp_path, "sweep", sweep, "--quick")
    assert [*document["tables"]] == [table_name(name) for name in tables]
