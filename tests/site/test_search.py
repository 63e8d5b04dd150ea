# SPDX-License-Identifier: BSD-2-Clause
"""The search of the pages, in a browser."""

import functools
import http.server
import sys
import threading

from conftest import ROOT
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(ROOT / "tests/lab/report"))
from browser import browser  # pylint: disable=wrong-import-position  # noqa: E402


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def test_a_reader_finds_a_page_by_a_word_in_it(site):
    """Catches pages whose search is not there, or does not answer."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser(1300, 900) as driver:
            driver.get(f"http://127.0.0.1:{server.server_port}/index.html")
            field = driver.find_element(By.CSS_SELECTOR, "input.md-search__input")
            driver.execute_script("arguments[0].focus()", field)
            field.send_keys("valgrind mlock2")
            WebDriverWait(driver, 300).until(
                lambda d: any("start/faq.html" in (link.get_attribute("href") or "")
                              for link in d.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")))
        server.shutdown()
