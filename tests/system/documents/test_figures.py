# SPDX-License-Identifier: BSD-2-Clause
"""tools/doc-tables: tables and claims agree with kept runs, and each figure in a sentence is in a table above it.
"""

import importlib.machinery
import importlib.util
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LOADER = importlib.machinery.SourceFileLoader("doc_tables", str(ROOT / "tools/doc-tables"))
doc_tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("doc_tables", LOADER))
LOADER.exec_module(doc_tables)


def cell(*values):
    middle = sorted(values)[len(values) // 2]
    return {"median": middle, "least": min(values), "most": max(values), "deviation": 0.5, "repetitions": len(values),
            "values": list(values)}


def run(fast):
    columns = [{"key": "row", "heading": "row"}, {"key": "ways", "heading": "ways"}, {"key": "ns", "heading": "ns"},
               {"key": "own_p99.9", "heading": "99.9%"}]
    rows = [{"row": "slow", "ways": 1, "ns": cell(9.0, 10.0, 12.0), "own_p99.9": 260},
            {"row": "slow", "ways": 2, "ns": cell(20.0, 20.0, 20.0), "own_p99.9": None},
            {"row": "fast", "ways": 1, "ns": cell(fast, fast, fast), "own_p99.9": 52}]
    printed = [["slow", "1", "10.0 ±5%", "260"], ["slow", "2", "20.0", "-"], ["fast", "1", f"{fast:.2f}", "52"]]
    return {"program": "cprng-lab", "machine": {"cpus": 2},
            "tables": {"draws": {"columns": columns, "rows": rows, "printed": printed}}}


@pytest.fixture
def check(tmp_path, capsys):
    """Keeps a run, writes a document, and checks or rewrites it; with fast=None the previous run stays."""
    def checked(text, fast=4.0, date="2000-01-01", write=False):
        if fast is not None:
            (tmp_path / f"speed-{date}.json").write_text(json.dumps(run(fast)), encoding="utf-8")
        document = tmp_path / "document.md"
        document.write_text(text, encoding="utf-8")
        status = doc_tables.main([*([] if write else ["--check"]), "--runs", str(tmp_path), str(document)])
        checked.written = document.read_text(encoding="utf-8")
        said = capsys.readouterr()
        return status, (said.out + said.err).replace(str(tmp_path) + "/", "")
    return checked


TABLE = "<!-- table: speed draws columns=row,ns ways=1 -->\n```\n{}\n```\n<!-- end of table -->\n"
SHOWN = "row         ns\n--------------\nslow  10.0 ±5%\nfast      {}"


def table(fast="4.00"):
    return TABLE.format(SHOWN.format(fast))


def test_an_altered_table_is_reported_with_its_place_and_what_the_run_has(check):
    """Catches a table altered by hand that passes, or is reported without its place or the run's value."""
    for altered in ("4.01", "40.0", "4   "):
        status, said = check("Text.\n\n" + table(altered))
        assert status == 1
        assert f"document.md:8: stands      fast      {altered.rstrip()}" in said
        assert "document.md:8: the run has fast      4.00" in said


@pytest.mark.parametrize("directions, complaint", [
    ("speed draws columns=row,nought", "no column nought"),
    ("speed draws ways=3", "no row has"),
    ("speed nothing", "has no nothing"),
    ("other draws", "no run other"),
    ("tree nothing", "tree has no nothing"),
    ("tree kept", "no run soak"),
])  # fmt: skip
def test_what_the_run_does_not_have_is_an_error_even_when_writing(check, directions, complaint):
    """Catches a table without a run that silently stays."""
    text = f"<!-- table: {directions} -->\nold\n<!-- end of table -->\n"
    for write in (False, True):
        status, said = check(text, write=write)
        assert status == 1 and "document.md:1: " in said and complaint in said and check.written == text


def test_a_table_that_does_not_end_is_an_error(check):
    """Catches a table without its end that the tool ignores."""
    assert check(table().replace("<!-- end of table -->", ""))[0] == 1


def test_the_newest_run_counts_in_tables_and_names(check):
    """Catches tables, or links, of a run that a newer one has replaced."""
    text = "From [speed-2000-01-01.json](speed-2000-01-01.json):\n\n" + table()
    assert check(text) == (0, "")
    status, said = check(text, fast=6.0, date="2000-02-01")
    assert status == 1 and "the run has fast      6.00" in said and "not the newest" in said
    check(text, fast=None, write=True)
    assert check.written == text.replace("2000-01-01", "2000-02-01").replace("4.00", "6.00")


@pytest.mark.parametrize("typed", [
    "12 ns", "12ns", "1.5 to 2.0 µs", "400 cycles", "1,040 TSC cycles", "half a millisecond", "15 %", "15 per cent", "3.5 GB/s",
    "3465 instructions", "42.58 s", "ten times as fast", "30 times as much", "twice as fast", "a third of the speed",
    "saves a tenth", "a factor of 3.5", "2.5x.", "between 10.0 and 12 ns", "0.252 of the time", "1.34 times the speed",
])  # fmt: skip
def test_a_figure_in_a_sentence_is_an_error_that_no_table_above_it_has(check, typed):
    """Catches a figure typed by hand, also below a table with other figures, and below one that lacks some of them.
    """
    for above in ("", table()):
        text = f"# Title\n\n{above}\nA draw takes {typed} here.\n"
        status, said = check(text)
        assert status == 1 and f"document.md:{text.count(chr(10))}: in no table above: " in said
    assert check(f"It took 10.0 ns.\n\n{table()}")[0] == 1


def test_a_table_that_was_typed_is_no_table_above(check):
    """Catches a figure that is excused by a table which no run made."""
    rows = "| a | b |\n|---|---|\n| fast | 2 |\n"
    assert check(rows) == (0, "")
    assert "document.md:5: in no table above: 2 ns" in check(f"{rows}\nIt takes 2 ns.\n")[1]


@pytest.mark.parametrize("text, line", [
    ("| | ns |\n|---|---|\n| fast | 2 |\n", 3),
    ("| fast | 2 ns |\n", 3),
    ("- 4 KiB\n- 12 ns\n", 4),
])
def test_tables_and_lists_that_were_typed_are_looked_at(check, text, line):
    """Catches a typed figure hidden in a row, in a column below its unit or in a list."""
    status, said = check(f"# Title\n\n{text}\n")
    assert status == 1 and said.count("document.md:") == 1 and f"document.md:{line}: " in said


@pytest.fixture
def claimed(check, monkeypatch, tmp_path):
    """As check, with a list of the document's tables and claims."""
    monkeypatch.setattr(doc_tables.claims, "FILE", tmp_path / "claims.json")

    def checked(text, tables=None, claims=None, said=None, **more):
        listed = {str(tmp_path / "document.md"): {"tables": tables or {}, "claims": claims or {}, "said": said or {}}}
        (tmp_path / "claims.json").write_text(json.dumps(listed), encoding="utf-8")
        status, output = check(text, **more)
        checked.written = check.written
        return status, output
    return checked


TWICE = {"Fast draws take less than half of the time": 'speed.draws("fast").ns < speed.draws("slow", ways=1).ns / 2'}


@pytest.mark.parametrize("columns, complaint", [
    ({"held_p99": "held\np99", "waited_max": "\nmax"}, "waited_max has the heading of its neighbour"),
    ({"held_p99": "held\np99", "waited_max": "held\nmax"}, "under one heading, 'held'"),
    ({"held_p99": "held\np99", "held_max": "waited\nmax"}, "keys of one group"),
    ({"over_bare": "conc. /\nbare", "bare_cpu": "the same by\nCPU time"}, "bare_cpu refers to another column"),
    ({"held": "max", "waited": "max"}, "have one heading"),
    ({"over_own": "32 bits,\nns"}, "over_own is a ratio"),
])
def test_a_heading_of_another_column_is_an_error(check, monkeypatch, columns, complaint):
    """Catches a column under its neighbour's heading, and a ratio with the unit of what it compares."""
    made = run

    def with_columns(fast):
        kept = made(fast)
        kept["tables"]["draws"]["columns"] += [{"key": key, "heading": heading} for key, heading in columns.items()]
        return kept

    monkeypatch.setitem(globals(), "run", with_columns)
    status, said = check(table())
    assert status == 1 and complaint in said


def test_a_listed_sentence_is_held_by_the_run(claimed):
    """Catches a sentence that the run contradicts, or that was changed without its claim; lines may break anywhere.
    """
    text = "Fast draws take less than\n half of the time, 4 ns.\n"
    held = {**TWICE, ", 4 ns.": 'speed.draws("fast").ns == 4'}
    assert claimed(text, claims=held) == (0, "")
    for write in (False, True):
        status, said = claimed(text, claims=held, fast=5.0, write=write)
        assert status == 1 and "document.md:1: no longer true (of 5.00, 5.00): Fast draws take" in said
    status, said = claimed(text.replace("half", "a third"), claims=TWICE)
    assert status == 1 and "lab/claims.json has a sentence that the document has not" in said
    assert "in no table above: 4 ns" in claimed(text, claims=TWICE)[1]


def test_a_listed_setting_excuses_its_own_figure(claimed):
    """Catches a second figure that a listed setting excuses, and a list that outlives its sentence or its heading."""
    assert "in no table above: 15 ns" in claimed("At most 12 ns. Now 15 ns.\n", said={"At most 12 ns.": "set"})[1]
    assert "sentence that the document has not" in claimed("Text.\n", said={"At most 12 ns.": "set"})[1]
    assert "no table below the heading Speed" in claimed("# T\n", {"Speed": "speed pipes"})[1]


@pytest.mark.parametrize("claim, true", [
    ('speed.draws("slow", ways=1).ns / speed.draws("fast").ns == 2.5', True),
    ('max(speed.draws.ns) < 20', False),
    ('min(speed.draws("slow").ns) >= 10', True),
    ('speed.machine.cpus == 3', False),
])
def test_claims(claimed, claim, true):
    """Catches a path with a wrong target, or a wrongly evaluated comparison."""
    assert claimed("So it is.\n", claims={"So it is.": claim})[0] == (0 if true else 1)


@pytest.mark.parametrize("claim, complaint", [
    ('speed.draws("medium").ns > 1', "no row of speed.draws has medium"),
    ('speed.draws("slow", ways=1).us > 1', "has no us"),
    ('speed.table("slow").ns > 1', "has no table"),
    ('other.draws("slow").ns > 1', "no run other"),
    ('speed.draws("slow").ns > 1', "no expression"),
    ('speed.draws("slow", ways=2)["own_p99.9"] > 1', "no expression"),
    ('speed.draws("slow", ways=1', "no expression"),
    ('__import__("os") == 1', "no run __import__"),
    ('1 / 0 > 1', "division by zero"),
    ('speed.draws("fast").ns', "no claim"),
])
def test_what_is_no_claim_of_the_run_is_an_error(claimed, claim, complaint):
    """Catches a claim that passes without a run, or is a number and so always true."""
    status, said = claimed("So it is.\n", claims={"So it is.": claim})
    assert status == 1 and "document.md:1: " in said and complaint in said


def test_counts_of_mutants_and_tests(check):
    """Catches a mutant that no list counts, one without a test that counts as detected, and a folder without its mutants."""
    def rows(view):
        check(f"<!-- table: tree {view} -->\n<!-- end of table -->\n", write=True)
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in check.written.splitlines()[3:-1]]

    lists = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "tests/mutants").glob("*.json")}
    every, killed = sum(map(len, lists.values())), sum("killer" in one for entries in lists.values() for one in entries)
    *table, total = rows("mutants")
    assert {row[0]: int(row[1]) for row in table} == {name: len(entries) for name, entries in lists.items()}
    assert total[:3] == ["all", str(every), str(every - killed)] and int(total[3]) <= sum(int(row[3]) for row in table)
    folders = {row[0]: (int(row[1]), int(row[2])) for row in rows("folders")}
    assert folders["system/kernel"][1] == len([one for one in lists["module"] if one.get("killer", {}).get("program") == "kernel"])
    assert {name[9] for name in folders if name.startswith("promises/")} == set("1234568") and sum(counts[1] for counts in folders.values()) <= killed


def test_the_documents_as_they_stand():
    """Catches a project document with a stale or typed figure."""
    assert doc_tables.main(["--check"]) == 0
