# SPDX-License-Identifier: BSD-2-Clause
"""The pages that tools/site makes: links, manual pages, search."""

import json
import re
import urllib.parse
from html.parser import HTMLParser

HERE = ("http:", "https:", "mailto:", "data:", "javascript:")


class Page(HTMLParser):
    """A page's links, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value and tag not in ("base",):
                self.links.append(value)


def pages_of(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}


def test_every_link_leads_to_a_file_and_an_anchor_that_are_there(site):
    """Catches a link that works in the tree but not among the pages, and a renamed heading."""
    pages = pages_of(site)
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(HERE):
                continue
            target, _, anchor = urllib.parse.unquote(link).partition("#")
            to = (path.parent / target).resolve() if target else path
            to = to / "index.html" if to.is_dir() else to
            if not to.is_file():
                wrong.append(f"{path.relative_to(site)}: {link}")
            elif anchor and to in pages and anchor not in pages[to].anchors:
                wrong.append(f"{path.relative_to(site)}: {link}: no such anchor")
    assert len(pages) > 40
    assert not wrong, "\n".join(wrong)


def test_no_page_asks_another_machine(site):
    """Catches a font or script that a browser would fetch from elsewhere."""
    asked = [f"{path.relative_to(site)}: {link}" for path in sorted(site.rglob("*.html"))
             for link in external_parts(path.read_text(encoding="utf-8"))]
    assert not asked, "\n".join(asked)


def external_parts(text):
    class Parts(HTMLParser):
        found = []

        def handle_starttag(self, tag, attrs):
            value = dict(attrs).get("src") or (dict(attrs).get("href") if tag == "link" else None)
            if value and value.startswith(("http:", "https:", "//")):
                self.found.append(value)

    parts = Parts()
    parts.found = []
    parts.feed(text)
    return parts.found


def test_manual_pages_are_there_and_refer_to_each_other(site):
    """Catches a manual page that mandoc cannot convert, or that has lost its references."""
    draws = (site / "man/cprng.3.html").read_text(encoding="utf-8")
    assert "cprng_uniform32" in draws
    assert 'href="cprng_strong.3.html"' in draws


def test_search_knows_the_pages(site):
    """Catches a site without an index, or with an incomplete one: the command's uuid and the licence are found by their titles."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    for word, page in {"valgrind": "c.html", "vfork": "c.html", "cprng_uniform32": "man/cprng.3.html",
                       "backtracking": "project/SECURITY.html"}.items():
        found = {entry["location"].partition("#")[0] for entry in index["docs"] if word in entry["text"]}
        assert page in found, word
    for word, place in {"uuid": "man/cprng.1.html#uuid", "Licence": "project/LICENSE.html"}.items():
        assert place in {entry["location"] for entry in index["docs"] if word in entry["title"]}, word


def test_links_to_pages_have_their_titles(site):
    """Catches a link that shows the file name of a page, which no reader of the site sees, and a first page titled twice."""
    wrong = [f"{path.relative_to(site)}: {name}" for path in sorted(site.rglob("*.html"))
             for name in re.findall(r"<a [^>]*>([\w./-]+\.md)</a>", path.read_text(encoding="utf-8"))]
    assert not wrong, "\n".join(wrong)
    assert "<title>cprng</title>" in (site / "index.html").read_text(encoding="utf-8")
