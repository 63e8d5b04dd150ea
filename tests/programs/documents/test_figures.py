# SPDX-License-Identifier: BSD-2-Clause
"""tools/doc-tables: what a document says that a kept run does not is an error."""

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
    """Keeps a run, writes a document, and checks it or has it written; with fast=None the run of before stays."""
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


FIGURE = 'A draw takes {}<!--= speed.draws("slow", ways=1).ns --> ns.\n'


def test_a_figure_of_the_run_passes(check):
    """Catches a check that reports figures which are right."""
    assert check(FIGURE.format("10.0")) == (0, "")


@pytest.mark.parametrize("altered", ["10.1", "9.99", "10", "1,000"])
def test_an_altered_figure_is_reported_with_its_place_and_the_figure_of_the_run(check, altered):
    """Catches a figure altered by hand that passes, or is reported without its place or what the run has."""
    status, said = check("Text.\n\n" + FIGURE.format(altered))
    assert status == 1
    assert f"document.md:3: {altered} stands where the run has 10.0: speed.draws" in said


def test_an_altered_figure_is_written_as_the_run_has_it(check):
    """Catches a stale figure that stays when the tool writes."""
    status, _ = check(FIGURE.format("7"), write=True)
    assert (status, check.written) == (0, FIGURE.format("10.0"))


@pytest.mark.parametrize("expression, value", [
    (' speed.draws("slow", 1).ns.most', "12.0"),
    (' speed.draws("slow", 1).ns / speed.draws("fast").ns', "2.50"),
    ('2 speed.draws("slow", 1).ns / 3', "3.3"),
    ('.0f percent(speed.draws("fast").ns / speed.draws("slow", 1).ns)', "40"),
    ('.0f more(speed.draws("slow", 1).ns, speed.draws("fast").ns)', "150"),
    ('.0f less(speed.draws("fast").ns, speed.draws("slow", 1).ns)', "60"),
    (' min(speed.draws.ns)', "4.00"),
    (' max(speed.draws("slow").ns / speed.draws("fast").ns)', "5.00"),
    (' count(speed.draws("slow")) - 1', "1"),
    (' speed.draws("slow", 1)["own_p99.9"]', "260"),
    (' speed.machine.cpus', "2"),
    ('2 speed.draws("slow", 1).ns * 1234', "12,000"),
    ('2 12 * 3\n', "36"),
])  # fmt: skip
def test_what_can_be_calculated(check, expression, value):
    """Catches an expression that comes to another value than it says, or a check that takes any number."""
    assert check(f"It is {value}<!--={expression} --> in all.\n") == (0, "")
    assert check(f"It is 77<!--={expression} --> in all.\n")[0] == 1


@pytest.mark.parametrize("expression, complaint", [
    ('speed.draws("medium").ns', "no row is speed.draws('medium')"),
    ('speed.draws("slow", 1).us', "no column us"),
    ('speed.table("slow").ns', "has no table"),
    ('other.draws("slow").ns', "no run other"),
    ('speed.draws("slow").ns', "is no figure"),
    ('speed.draws("slow", 2)["own_p99.9"]', "None is no figure"),
    ('speed.draws("slow", 1).row', "'slow' is no figure"),
    ('speed.draws("slow", 1', "no expression"),
    ('__import__("os")', "no function __import__"),
    ('speed.machine', "is no figure"),
    ('1 / 0', "division by zero"),
])  # fmt: skip
def test_what_the_run_does_not_have_is_an_error_even_when_writing(check, expression, complaint):
    """Catches a figure without a run that stays as it stands, silently."""
    for write in (False, True):
        status, said = check(f"It is 10<!--= {expression} --> in all.\n", write=write)
        assert status == 1 and "document.md:1: " in said and complaint in said


def test_a_claim_fails_when_the_run_no_longer_supports_it(check):
    """Catches a sentence that outlives the run which supported it."""
    text = 'It is faster<!--holds: speed.draws("fast").ns < 0.9 * speed.draws("slow", 1).ns -->.\n'
    assert check(text) == (0, "")
    for write in (False, True):
        status, said = check(text, fast=9.5, write=write)
        assert status == 1
        assert "document.md:1: no longer true (9.50 < 9.00): speed.draws" in said


@pytest.mark.parametrize("claim, true", [
    ('1 < speed.draws("fast").ns < 5 and not 2 > 3', True),
    ('about(speed.draws("fast").ns, 4.3)', True),
    ('about(speed.draws("fast").ns, 4.3, 0.01)', False),
    ('max(speed.draws.ns) < 20', False),
    ('min(speed.draws("slow").ns.least) >= 9', True),
])
def test_claims(check, claim, true):
    """Catches a comparison, range or tolerance that is judged wrongly."""
    assert check(f"So it is<!--holds: {claim} -->.\n")[0] == (0 if true else 1)


def test_a_claim_must_be_one(check):
    """Catches a claim that is a number and so always true."""
    assert "no claim, but 4.0" in check('So it is<!--holds: speed.draws("fast").ns -->.\n')[1]


def test_the_newest_run_counts_in_figures_and_names(check):
    """Catches figures, or links, of a run that a newer one has replaced."""
    text = "From [speed-2000-01-01.json](speed-2000-01-01.json):\n" + FIGURE.format("10.0").replace('"slow"', '"fast"')
    check(text.replace("10.0", "4.00"))
    status, said = check(text.replace("10.0", "4.00"), fast=6.0, date="2000-02-01")
    assert status == 1 and "4.00 stands where the run has 6.00" in said and "not the newest" in said
    check(text, fast=None, write=True)
    assert check.written == text.replace("2000-01-01", "2000-02-01").replace("10.0", "6.00")


def test_tables_are_written_and_compared(check):
    """Catches a table that is not the run's."""
    text = '<!-- table: speed draws columns=row,ns ways=1 -->\nold\n<!-- end of table -->\n'
    assert check(text)[0] == 1
    check(text, write=True)
    assert "slow  10.0 ±5%\nfast      4.00\n" in check.written
    assert check(check.written) == (0, "")
    status, said = check(check.written, fast=5.0)
    assert status == 1 and "document.md:6: stands      fast      4.00" in said
    assert "document.md:6: the run has fast      5.00" in said
    assert "no column nought" in check(text.replace(",ns", ",nought"))[1]


def test_what_is_code_is_no_figure(check):
    """Catches an example in code that is rewritten."""
    code = '7<!--= speed.draws("slow", 1).ns -->'
    assert check(f"`{code}`\n\n```\n{code}\n```\n\n    {code}\n") == (0, "")


@pytest.mark.parametrize("typed", [
    "12 ns", "12ns", "1.5 to 2.0 µs", "400 cycles", "1,040 TSC cycles", "half a millisecond", "15 %", "15 per cent", "3.5 GB/s",
    "3465 instructions", "42.58 s", "ten times as fast", "30 times as much", "twice as fast", "a third of the speed",
    "saves a tenth", "a factor of 3.5", "2.5x.", "between 10.0<!--= speed.draws(\"slow\", 1).ns --> and 12 ns",
])  # fmt: skip
def test_a_typed_figure_is_an_error(check, typed):
    """Catches a figure typed by hand that no run stands behind."""
    status, said = check(f"# Title\n\nA draw takes {typed} here.\n")
    assert status == 1 and "document.md:3: typed by hand: " in said


@pytest.mark.parametrize("text", [
    "1 KiB of buffer, 32 bytes, 128 bits, in 2026, RFC 8439, AES-256, after 10 minutes, 2^-40, ten times a second.",
    "It was tried three times, 2048 times for a key.",
    "`12 ns`\n\n```\n12 ns\n```\n\n    12 ns\n",
    "> It took 12 ns.\n",
    "In 2014 it took 12 ns and 15 % more<!-- quoted: a message -->.",
    "<!-- quoted: a paper -->\n- 12 ns\n- 15 %\n",
    "<!-- quoted: a paper -->\n12 ns\n\n15 %\n\n<!-- end of quoted -->\n",
    "At most 400 cycles<!-- set: tools/doc-tables -->.",
    "Twice as fast<!--holds: speed.draws(\"fast\").ns < 5 -->.",
    "| | ns |\n|---|---|\n| fast | 4.00<!--= speed.draws(\"fast\").ns --> |\n",
])
def test_no_false_alarm(check, text):
    """Catches an alarm at what is marked, quoted or no measurement."""
    assert check(f"# Title\n\n{text}\n") == (0, "")


@pytest.mark.parametrize("text, line", [
    ("In 2014 it took 12 ns<!-- quoted: a message -->. Now it takes 2 ns.", 3),
    ("In 2014 it took 12 ns<!-- quoted: a message -->, now 2 ns.", 3),
    ("<!-- quoted: a paper -->\nIt took 12 ns.\n\nIt takes 2 ns.", 6),
    ("<!-- quoted: a paper -->\n12 ns\n\n15 %\n\n<!-- end of quoted -->\n2 ns\n", 9),
    ("| | ns |\n|---|---|\n| fast | 2 |\n", 3),
    ("| fast | 2 ns |\n| slow | 3 ns <!-- quoted: a paper --> |\n", 3),
    ("At most 400 cycles<!-- set: src/nowhere.c -->.", 3),
])
def test_a_mark_covers_its_sentence_or_paragraph_alone(check, text, line):
    """Catches a typed figure that hides behind the mark of another one."""
    status, said = check(f"# Title\n\n{text}\n")
    assert status == 1 and said.count("document.md:") == 1 and f"document.md:{line}: " in said


@pytest.fixture
def claimed(check, monkeypatch, tmp_path):
    """As check, with a list of tables and claims for the document, whose text has no comments."""
    monkeypatch.setattr(doc_tables.claims, "FILE", tmp_path / "claims.json")

    def checked(text, tables=None, claims=None, **more):
        listed = {str(tmp_path / "document.md"): {"tables": tables or {}, "claims": claims or {}}}
        (tmp_path / "claims.json").write_text(json.dumps(listed), encoding="utf-8")
        status, said = check(text, **more)
        checked.written = check.written
        return status, said
    return checked


TWICE = {"Fast draws take less than half of the time": 'speed.draws("fast").ns < speed.draws("slow", 1).ns / 2'}


def test_a_listed_sentence_is_held_by_the_run(claimed):
    """Catches a sentence that the run contradicts, or that was changed and its claim was not; lines may break anywhere."""
    text = "Fast draws take less than\n half of the time, 4 ns.\n"
    held = {**TWICE, ", 4 ns.": 'speed.draws("fast").ns == 4'}
    assert claimed(text, claims=held) == (0, "")
    status, said = claimed(text, claims=held, fast=5.0)
    assert status == 1 and "document.md:1: no longer true (5.00 < 5.00)" in said
    status, said = claimed(text.replace("half", "a third"), claims=TWICE)
    assert status == 1 and "lab/claims.json has a sentence that the document has not" in said
    assert "typed by hand: 4 ns" in claimed(text, claims=TWICE)[1]


def test_a_listed_table_is_written_from_the_run(claimed):
    """Catches a table below a heading that stays as it was, or one below another heading that is written."""
    ours = "| x | ns |\n|---|---|\n| old | 7.00 |\n"
    text = "# T\n\n## Other\n\n| a | b |\n|---|---|\n| c | d |\n\n## Speed\n\nText.\n\n" + ours + "\nMore.\n"
    made = {"Speed": "speed pipes"}
    doc_tables.blocks.VIEWS["pipes"] = lambda run: f"| x | ns |\n|---|---|\n| new | {run['tables']['draws']['rows'][2]['ns']['median']} |"
    assert claimed(text, made)[0] == 1
    assert claimed(text, made, write=True)[0] == 0
    assert claimed.written == text.replace("| old | 7.00 |", "| new | 4.0 |")
    assert claimed(claimed.written, made) == (0, "")
    status, said = claimed(text.replace("## Speed", "## Pace"), made)
    assert status == 1 and "no table below the heading Speed" in said


def test_the_documents_as_they_stand():
    """Catches a document of the project with a figure that is stale or typed."""
    assert doc_tables.main(["--check"]) == 0
