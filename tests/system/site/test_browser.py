# SPDX-License-Identifier: BSD-2-Clause
"""The pages in a browser: their search and readability."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from conftest import ROOT
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(ROOT / "tests/system/lab/report"))
from browser import browser  # pylint: disable=wrong-import-position  # noqa: E402

# One page of each kind: programs, a long table, figures, a manual page; the first one ends in a list of links.
PAGES = ["index", "c", "python", "rust", "results", "internals", "man/cprng.3", "threats", "installing"]

# [contrast, its text, colours] of the page's least readable text; colours are foreground, then background.
CONTRAST = """
const parts = (text) => text.match(/[\\d.]+/g).map(Number);
const over = (top, below) => [0, 1, 2].map((i) => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
const behind = (element) => {
	const colour = element ? parts(getComputedStyle(element).backgroundColor) : [255, 255, 255];
	return (colour[3] ?? 1) === 1 ? colour : over(colour, behind(element.parentElement));
};
const light = (colour) => colour.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
	.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const walker = document.createTreeWalker(document.querySelector(".md-content"), NodeFilter.SHOW_TEXT);
let worst = [21, "", ""];
while (walker.nextNode()) {
	const element = walker.currentNode.parentElement;
	const style = getComputedStyle(element);
	if (!walker.currentNode.data.trim() || style.opacity === "0" || !element.checkVisibility()) continue;
	const ground = behind(element);
	const [a, b] = [light(over(parts(style.color), ground)), light(ground)];
	const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	if (contrast < worst[0]) worst = [contrast, walker.currentNode.data.trim(), `${style.color} on ${ground}`];
}
return worst;
"""

# Elements wider than the window, and tables wider than their place that cannot be scrolled.
TOO_WIDE = """
const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["the page"] : [];
const scrolls = (element) => element && element !== document.body &&
	(["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
const column = document.querySelector(".md-content__inner").getBoundingClientRect();
for (const table of document.querySelectorAll(".md-content table, .md-content pre"))
	if ([...table.querySelectorAll("td, code")].some((cell) => cell.getBoundingClientRect().right > column.right + 1 && !scrolls(cell)))
		wide.push(table.textContent.slice(0, 60));
return wide;
"""


@pytest.fixture(scope="module")
def driver():
    with browser(1280, 900) as one:
        yield one


def resize(driver, width):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(site, scheme):
    """Catches links, or colours of code, with low contrast: WCAG 2.1 requires 4.5."""
    with browser(1280, 900, scheme) as driver:  # a new one, since pages remember the scheme
        for page in PAGES:
            driver.get((site / f"{page}.html").as_uri())
            shown = driver.execute_script("return document.body.dataset.mdColorScheme")
            assert shown == {"light": "default", "dark": "slate"}[scheme]
            driver.execute_script("document.getAnimations().forEach((one) => one.finish())")  # colours on their way
            contrast, text, colours = driver.execute_script(CONTRAST)
            assert contrast >= 4.5, f"{page}: {text}: {colours}"


@pytest.mark.parametrize("page, text, least", [("c", "int main", 4), ("c", "std::cout", 4),
                                               ("python", "import cprng", 4), ("installing", "find_package", 2)])  # fmt: skip
def test_code_has_colours(site, driver, page, text, least):
    """Catches programs shown in a single colour."""
    driver.get((site / f"{page}.html").as_uri())
    colours = driver.execute_script(
        "return [...document.querySelectorAll('.highlight pre')].filter((one) => one.textContent.includes(arguments[0]))"
        ".map((one) => new Set([...one.querySelectorAll('span')].map((part) => getComputedStyle(part).color)).size)", text)
    assert max(colours, default=0) >= least, colours


@pytest.mark.parametrize("width", [400, 1280, 1920])
def test_wide_tables_scroll_and_the_window_is_used(site, driver, width):
    """Catches tables that are cut off or widen the page, and text in a column that leaves the window empty."""
    resize(driver, width)
    for page in PAGES:
        driver.get((site / f"{page}.html").as_uri())
        assert driver.execute_script(TOO_WIDE) == [], page
        assert driver.execute_script("return document.querySelector('.md-main .md-grid').offsetWidth") >= 0.9 * width, page
    resize(driver, 1280)


# [pixels that are cut, pixels of the font, characters] of preformatted tables, widest first.
CUT = """
return [...document.querySelectorAll(".md-content pre > code")].filter((code) => /^-{20,}$/m.test(code.textContent))
	.map((code) => [code.scrollWidth - code.clientWidth, parseFloat(getComputedStyle(code).fontSize),
		Math.max(...code.textContent.split("\\n").map((line) => line.length))])
	.sort((a, b) => b[2] - a[2]);
"""


def test_a_wide_table_of_figures_fits_into_its_column(site, driver):
    """Catches the reasons of "Every size" outside the window of a laptop, and letters too small to read.

    The widest tables scroll: 145 characters in the column of a window of 1400 have some 9 pixels.
    """
    resize(driver, 1400)
    driver.get((site / "results.html").as_uri())
    tables = driver.execute_script(CUT)
    assert len(tables) > 15 and any(width > 120 for _, _, width in tables)
    for cut, size, width in tables:
        assert size >= 9 and (cut <= 0 or width > 145), (cut, size, width)
    resize(driver, 1280)


# Code that is broken within its 32 characters, and headings of tables that are shown without a word.
BROKEN = """
const broken = [...document.querySelectorAll(".md-content :not(pre) > code")]
	.filter((code) => code.textContent.length <= 32 && code.getClientRects().length > 1);
const empty = [...document.querySelectorAll(".md-content thead")]
	.filter((head) => !head.textContent.trim() && head.getClientRects().length > 0);
return [...broken.map((code) => code.textContent), ...empty.map((head) => "empty: " + head.parentElement.textContent.slice(0, 40))];
"""


@pytest.mark.parametrize("width", [400, 1400])
def test_pages_neither_break_words_of_code_nor_show_empty_headings(site, driver, width):
    """Catches an option broken behind its hyphens, and a row of headings without a word in it."""
    resize(driver, width)
    wrong = {}
    for page in sorted(site.rglob("*.html")):
        driver.get(page.as_uri())
        if found := driver.execute_script(BROKEN):
            wrong[page.name] = found
    resize(driver, 1280)
    assert not wrong


def test_a_reader_finds_a_page_by_a_word_in_it(site, driver):
    """Catches a page, opened as a file, whose search fails without explanation, and a command that does not help.
    """
    driver.get((site / "index.html").as_uri())
    assert not driver.find_elements(By.CSS_SELECTOR, "input.md-search__input")
    command = driver.find_element(By.CSS_SELECTOR, ".search-needs-server").text.removeprefix("Search: ")
    with subprocess.Popen([*shlex.split(command), "--bind", "127.0.0.1", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as server:
        try:
            port = re.search(r" port (\d+) ", server.stdout.readline())[1]
            driver.get(f"http://127.0.0.1:{port}/index.html")
            assert not driver.find_elements(By.CSS_SELECTOR, ".search-needs-server")
            field = driver.find_element(By.CSS_SELECTOR, "input.md-search__input")
            driver.execute_script("arguments[0].focus()", field)
            field.send_keys("valgrind mlock2")
            WebDriverWait(driver, 300).until(
                lambda d: any("/c.html" in (link.get_attribute("href") or "")
                              for link in d.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")))
        finally:
            server.terminate()
