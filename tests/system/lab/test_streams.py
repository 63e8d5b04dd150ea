# SPDX-License-Identifier: BSD-2-Clause
"""cprng-lab streams: all rows exist, are filled, and are kept with their repetitions."""

from commands import document_of, rows_of

ENGINES = ["chacha8", "chacha20", "aes256-ctr"]
WORKS = ["u64", "below", "double", "normal", "bytes", "doubles", "normals"]
GENERATORS = {
    **{f"cprng-{engine}": WORKS for engine in ENGINES},
    **{f"bare-{engine}": ["bytes"] for engine in ENGINES},
    "pcg64-dxsm": WORKS,
    "mt19937-64": WORKS,
}
NUMPY = {"numpy-pcg64": ["doubles", "normals"], "numpy-pcg64-dxsm": ["doubles", "normals"]}


def test_quick_run():
    """Catches a missing generator or figure, and a ratio of the wrong two rows."""
    document = document_of("streams")
    generators = GENERATORS | (NUMPY if document["settings"]["numpy"] else {})
    rows = rows_of(document, "streams")
    all_kept = document["repetitions"]["streams"]
    assert [row["generator"] for row in rows] == list(generators)
    for row, kept in zip(rows, all_kept):
        for work in WORKS:
            if work not in generators[row["generator"]]:
                assert (row[work], kept[work]) == (None, [])
                continue
            assert len(kept[work]) == 2 and all(value > 0 for value in kept[work])
    kept = {row["generator"]: row for row in all_kept}
    for row in document["repetitions"]["streams_beside"]:
        stream = kept[f"cprng-{row['engine']}"]
        for name, work, other in [
            ("pcg", "u64", kept["pcg64-dxsm"]["u64"]),
            ("twister", "u64", kept["mt19937-64"]["u64"]),
            ("keystream", "doubles", kept[f"bare-{row['engine']}"]["bytes"]),
            ("doubles", "doubles", kept.get("numpy-pcg64", {"doubles": []})["doubles"]),
            ("normals", "normals", kept.get("numpy-pcg64", {"normals": []})["normals"]),
        ]:
            assert row[name] == [mine / its for mine, its in zip(stream[work], other)]
