#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""picture.py PAGE OUT.png: the beginning of a report, for docs/lab.md.  `make report-picture` runs it."""

import base64
import pathlib
import sys

from browser import browser, show

WIDTH, HEIGHT = 1200, 1000

# Down to the end of the second plot.
END = "document.querySelectorAll('figure')[1].getBoundingClientRect().bottom + scrollY"


def main():
    page, out = map(pathlib.Path, sys.argv[1:])
    with browser(WIDTH, HEIGHT) as driver:
        show(driver, page)
        # Hide the list of tables, which would take half of the picture.
        driver.execute_script("for (const list of document.querySelectorAll('nav details')) list.open = false;")
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": driver.execute_script(f"return {END}"), "scale": 1}
        picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip,
                                                                    "captureBeyondViewport": True})
    out.write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    main()
