# SPDX-License-Identifier: BSD-2-Clause
"""Reports in a real browser: they open from a file without errors, are drawn, and show the JSON's values."""

import itertools
import json
import math
import pathlib
import re

import pytest
from browser import browser, prefer, show, wait
from commands import run, shows
from made_runs import HOSTILE, KEPT, document

ROOT = pathlib.Path(__file__).resolve().parents[4]
PHONE = {"width": 390, "height": 844}

# The number of visible marks of each plot.
MARKS = """
return [...document.querySelectorAll(".chart")].map((plot) => {
    const marks = [...plot.querySelectorAll(".scatterlayer .points > path, .barlayer .point > path")];
    const frame = plot.getBoundingClientRect();
    return marks.filter((mark) => {
        const box = mark.getBoundingClientRect();
        return box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top &&
            box.bottom <= frame.bottom && box.height > 0 && !/NaN|undefined/.test(mark.outerHTML);
    }).length;
})"""

# The data that the plotting library received, by table.
DRAWN = """
return [...document.querySelectorAll("section.table")].map((table) => [table.closest(".run").id, table.dataset.table,
    [...table.querySelectorAll(".chart")].map((plot) => plot.data.map((trace) =>
        ({ x: [...trace.x], y: [...trace.y], name: trace.name, colour: trace.marker.color, plot: Number(plot.dataset.plot) })))])"""

TABLES = """
return [...document.querySelectorAll("section.table")].map((section) => [section.closest(".run").id,
    section.dataset.table, section.querySelector("h3").textContent,
    [...section.querySelectorAll("tbody tr")].map((row) =>
        [...row.cells].map((cell) => [cell.textContent, cell.title]))])"""


@pytest.fixture(scope="module", name="files")
def files_of_runs(tmp_path_factory):
    """The kept run, the made one, and runs of the commands that it lacks."""
    directory = tmp_path_factory.mktemp("runs")
    made = directory / "made.json"
    made.write_text(json.dumps(document()))
    files = [KEPT, made]
    for command in ("others", "sizes", "sweep"):
        files.append(directory / f"{command}.json")
        result = run(command, "--quick", "--json", files[-1])
        assert (result.returncode, result.stderr) == (0, "")
    return files


@pytest.fixture(scope="module", name="documents")
def documents_of_runs(files):
    return [json.loads(file.read_text()) for file in files]


@pytest.fixture(scope="module", name="page")
def page_of_runs(tmp_path_factory, files):
    page = tmp_path_factory.mktemp("report") / "page.html"
    result = run("report", *files, "-o", page)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return page


@pytest.fixture(scope="module", name="shown")
def page_in_browser(page):
    with browser() as driver:
        show(driver, page)
        driver.complaints = driver.get_log("browser")
        driver.requests = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
        yield driver


def test_no_complaint(shown):
    """Catches an error or warning in the browser's console."""
    assert shown.complaints == []
    assert shown.execute_script("return document.getElementById('failure').hidden")


def test_nothing_is_fetched(shown, page):
    """Catches a page that requests anything from the network.

    Only the page itself is requested, and the test would see any other request.
    """
    urls = [message["params"]["request"]["url"] for message in shown.requests
            if message["method"] == "Network.requestWillBeSent"]
    assert page.as_uri() in urls
    assert [url for url in urls if url != page.as_uri() and not url.startswith(("data:", "blob:"))] == []
    assert not re.search(r'(?:src|href)="(?!#|data:)', page.read_text())


def test_all_plots_have_their_marks(shown):
    """Catches a plot that draws fewer marks than it has figures, or outside its frame.

    The number of marks equals the number of figures; test_plots_show_the_figures compares their values.
    """
    expected = shown.execute_script("return [...document.querySelectorAll('.chart')].map((p) => Number(p.dataset.marks))")
    assert len(expected) > 20 and all(expected)
    assert shown.execute_script(MARKS) == expected


def median(value):
    return value["median"] if isinstance(value, dict) else value


def is_place(value):
    return not isinstance(value, str) or re.fullmatch(r"[0-9.]+ (?:B|[KMG]iB)", value) is not None


def expected_values(table, plot):
    """The figures that a declared plot must show."""
    for row in table["rows"]:
        if plot["over"] in ("request size", "threads", "parameter") and not (row[plot["x"]] is not None and
                                                                              is_place(row[plot["x"]])):
            continue
        yield from (median(row[key]) for key in plot["y"] if row[key] is not None)


def test_plots_show_the_figures(shown, documents):
    """Catches a plot with other figures than its table, and a missing declared plot."""
    checked = 0
    for run_id, name, plots in shown.execute_script(DRAWN):
        table = documents[int(run_id[-1]) - 1]["tables"][name]
        if not table.get("plots"):
            assert plots == []
            continue
        for number, declared in enumerate(table["plots"]):
            traces = [trace for traces in plots for trace in traces if trace["plot"] == number]
            # A table with too many lines is drawn in parts, each with the library's line.
            traces = [one for i, one in enumerate(traces) if not one["name"].startswith("cprng") or one not in traces[:i]]
            # Points that no line joins have names on the other axis.
            bars = declared["over"] == "categories" or any(isinstance(place, str) for trace in traces for place in trace["y"])
            values = [value for trace in traces for value in trace["x" if bars else "y"]]
            assert sorted(values) == pytest.approx(sorted(expected_values(table, declared)), rel=1e-12)
            checked += 1
    assert checked == sum(len(table.get("plots", [])) for one in documents for table in one["tables"].values()) > 15


def test_lines_join_what_belongs_together(shown):
    """Catches a line through figures of different rows, and an axis in another order.

    One line for each of the two rows, in the order of the axis.
    """
    drawn = {name: plots for run_id, name, plots in shown.execute_script(DRAWN) if run_id == "run2"}
    size, = drawn["request_size"]
    assert [trace["x"] for trace in size] == [[1, 4096, 2**20, 2**32]] * 2
    assert [trace["y"] for trace in size] == [[1, 11, 21, 31]] * 2
    threads, = drawn["threads"]
    assert [(trace["x"], trace["y"]) for trace in threads] == [([1, 2, 4], [100, 200, 400])] * 2
    percentiles, = drawn["percentiles"]
    assert [(trace["x"], trace["y"]) for trace in percentiles] == [(["50 %", "99 %", "max"], [10, 20, 4000])] * 2
    parameter, = drawn["parameter"]
    assert [trace["x"] for trace in parameter] == [[1, 16, 256, 4096]] * 2
    labelled, = drawn["labelled"]
    assert [trace["x"] for trace in labelled] == [[16, 64, 256]]
    assert shown.execute_script("""return [...document.querySelectorAll("[data-table=labelled] .xtick text")]
        .map((text) => text.textContent)""") == ["16 B", "64 B", "256 B"]
    # Increasing steps are equally spaced.
    assert shown.execute_script("""return [...document.querySelectorAll("[data-table=labelled] .chart")]
        .map((plot) => plot.layout.xaxis.type)""") == ["log"]
    separate, = drawn["not_to_be_joined"]
    assert [trace["y"] for trace in separate] == [["1 x 2", "2 x 1"]]
    # Twenty lines, in two groups of two plots each.
    assert [[trace["y"] for trace in plot] for plot in drawn["many"]] == [
        [[i, 2 * i] for i in some] for some in (range(1, 6), range(6, 11))] * 2
    ours = [[trace["y"] for trace in plot if trace["name"] == "cprng"] for plot in drawn["beside"]]
    assert len(ours) == 2 and ours == [[[8, 16]]] * 2
    ranges = shown.execute_script("""return [...document.querySelectorAll("[data-table=beside] .chart")]
        .map((plot) => plot.layout.yaxis.range)""")
    assert ranges[0] == ranges[1]
    bars, = drawn["categories"]
    assert [(trace["x"], trace["y"]) for trace in bars] == [([1, 2, 4], ["a", "b", "d"])]
    assert drawn["declared_nothing"] == []


def test_lines_are_distinguished(shown):
    """Catches a plot with more lines than can be distinguished, two of one colour, and the library in another colour
    elsewhere."""
    ours = set()
    for _, name, plots in shown.execute_script(DRAWN):
        for traces in plots:
            colours_of = [trace["colour"] for trace in traces]
            assert len(traces) <= 6 and len(set(colours_of)) == len(colours_of), name
            ours |= {trace["colour"] for trace in traces if trace["name"] == "cprng"}
    assert len(ours) == 1


def linear(colour):
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))]


def test_colours_are_distinct_and_visible():
    """Catches a colour below 3 : 1 on a scheme's background (WCAG 2.1, 1.4.11), and two that are alike (CIE 1976, 40
    apart)."""
    source = (ROOT / "lab/report/figures.py").read_text()
    found = re.findall(r"#[0-9a-f]{6}", re.search(r"(?m)^COLOURS = (.*)$", source)[1])
    papers = re.findall(r"--paper: (#[0-9a-f]{6})", (ROOT / "lab/report/page.css").read_text())
    assert len(found) == 6 and len(papers) == 2
    light = {one: sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(one))) for one in (*found, *papers)}
    for one, paper in itertools.product(found, papers):
        assert (max(light[one], light[paper]) + 0.05) / (min(light[one], light[paper]) + 0.05) >= 3, (one, paper)

    def lab(colour):
        r, g, b = linear(colour)
        x, y, z = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, light[colour], (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
        return 116 * y ** (1 / 3) - 16, 500 * (x ** (1 / 3) - y ** (1 / 3)), 200 * (y ** (1 / 3) - z ** (1 / 3))

    for one, other in itertools.combinations(found, 2):
        assert math.dist(lab(one), lab(other)) >= 40, (one, other)


def full(value):
    if value is None or isinstance(value, str):
        return [""]
    return [repr(value[key]) for key in ("median", "deviation", "least", "most")] if isinstance(value, dict) else [repr(value)]


def test_tables_are_those_of_the_json(shown, documents):
    """Catches a cell that shows another value than the file's."""
    tables = shown.execute_script(TABLES)
    assert [(run_id, name) for run_id, name, *_ in tables] == [
        (f"run{number}", name) for number, one in enumerate(documents, 1)
        for name in sorted(one["tables"], key=lambda name: name.startswith("cprng_fast"))]
    for run_id, name, title, rows in tables:
        table = documents[int(run_id[-1]) - 1]["tables"][name]
        assert title == table["title"]
        assert [[text for text, _ in row] for row in rows] == table["printed"]
        for shown_row, row in zip(rows, table["rows"]):
            assert len(shown_row) == len(row)
            for (text, hover), value in zip(shown_row, row.values()):
                # As published, with two decimals instead of three digits.
                assert shows(text, value) or name.endswith("_2014") and float(text) == value
                assert all(digits in hover for digits in full(value))


def test_texts_come_out_as_they_are(shown, documents):
    """Catches text of the file that the page interprets as markup."""
    assert shown.execute_script("return document.querySelectorAll('.evil').length") == 0
    text = shown.execute_script("return document.body.textContent")
    for one in documents:
        assert one["machine"]["cpu"] in text
        for part in one.get("texts", {}).values():
            assert part in text
    assert text.count("Interrupted: ") == 1 and text.count("Made with --quick") == 4
    assert HOSTILE in shown.execute_script("return document.querySelector('[data-table=declared] svg').textContent")


def colours(driver):
    return driver.execute_script("""
        const of = (element, what) => getComputedStyle(element)[what];
        return [of(document.body, "backgroundColor"), of(document.body, "color"),
                of(document.querySelector(".chart .xtick text"), "fill")]""")


def brightness(colour):
    return sum(map(float, re.findall(r"[0-9.]+", colour)[:3]))


def test_dark_and_light(page):
    """Catches a colour that is unreadable on the other scheme's background.

    The page follows the system's setting, and its changes at once.
    """
    with browser(scheme="dark") as driver:
        show(driver, page)
        paper, ink, ticks = colours(driver)
        assert brightness(paper) < 150 and brightness(ink) > 500 and brightness(ticks) > 500
        prefer(driver, "light")
        wait(driver, f"getComputedStyle(document.querySelector('.chart .xtick text')).fill != {json.dumps(ticks)}")
        paper, ink, ticks = colours(driver)
        assert brightness(paper) > 700 and brightness(ink) < 200 and brightness(ticks) < 400
        assert driver.get_log("browser") == []


def test_telephone(page):
    """Catches a page wider than a telephone, a plot without room on one, and fields of the machine before a run's tables."""
    with browser(**PHONE) as driver:
        show(driver, page)
        before = driver.execute_script("""
            return [...document.querySelectorAll(".run")].map((run) => {
                const top = (name) => run.querySelector(name).getBoundingClientRect().top;
                return [top("h3") - top("h2"), run.querySelectorAll("dt").length];
            })""")
        assert all(height < PHONE["height"] / 2 and fields > 5 for height, fields in before), before
        assert not driver.execute_script("return [...document.querySelectorAll('dt')].some((name) => name.checkVisibility())")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= PHONE["width"]
        driver.execute_script("document.querySelectorAll('.table details').forEach((table) => { table.open = true; })")
        drawn = driver.execute_script(MARKS)
        assert drawn == driver.execute_script(
            "return [...document.querySelectorAll('.chart')].map((p) => Number(p.dataset.marks))")
        boxes = driver.execute_script("""
            return [...document.querySelectorAll(".scroll, .chart svg")].map((box) => {
                const { left, right } = box.getBoundingClientRect();
                return [left, right, box.scrollWidth > box.clientWidth];
            })""")
        assert all(left >= 0 and right <= PHONE["width"] for left, right, _ in boxes)
        # Wide tables do not fit, and scroll in their own boxes.
        assert any(scrolls for _, _, scrolls in boxes)
        # The plot itself has room beside names and legends.
        areas = driver.execute_script("""
            return [...document.querySelectorAll(".chart .bglayer rect, .chart .draglayer .nsewdrag")].map((area) => {
                const { width, height } = area.getBoundingClientRect();
                return [width, height];
            })""")
        assert areas and all(width >= 120 and height >= 30 for width, height in areas)
        assert driver.get_log("browser") == []


def test_a_browser_that_cannot_draw(page, tmp_path):
    """Catches a page that silently stays empty if it cannot draw.

    It says so, and the tables are there.
    """
    text = page.read_text()
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(re.sub(r'(id="library">)[^<]*', r"\1AAAA", text))
    assert spoiled.stat().st_size < len(text) / 2
    with browser() as driver:
        show(driver, spoiled)
        assert "could not be drawn" in driver.execute_script("return document.getElementById('failure').innerText")
        assert len(driver.execute_script(TABLES)) > 20
