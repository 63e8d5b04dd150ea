# SPDX-License-Identifier: BSD-2-Clause
"""tools/doc-tables: tables agree with kept runs."""

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


def test_the_documents_as_they_stand():
    """Catches a project document with a stale table."""
    assert doc_tables.main(["--check"]) == 0
