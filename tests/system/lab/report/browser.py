# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium for tests of reports."""

import contextlib
import os
import pathlib

import pytest
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

TIMEOUT = 60
PROGRAMS = {"browser": ["/usr/bin/chromium", "/usr/bin/chromium-browser"],
            "driver": ["/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver"]}  # fmt: skip


def program(what):
    found = next((path for path in PROGRAMS[what] if os.access(path, os.X_OK)), None)
    if not found:
        pytest.exit(f"no {what}: run tools/setup report-test", returncode=2)
    return found


@contextlib.contextmanager
def browser(width=1200, height=1000, scheme="light"):
    options = webdriver.ChromeOptions()
    options.binary_location = program("browser")
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # it does not start as root with its sandbox
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service(program("driver")), options=options)
    try:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        prefer(driver, scheme)
        yield driver
    finally:
        driver.quit()


def prefer(driver, scheme):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def wait(driver, condition):
    """Waits until the script returns something, and returns it."""
    return WebDriverWait(driver, TIMEOUT, poll_frequency=0.05).until(lambda d: d.execute_script(f"return {condition}"))


def show(driver, file):
    """Opens the page, and waits until its plots are drawn or have failed."""
    driver.get(pathlib.Path(file).resolve().as_uri())
    wait(driver, "document.documentElement.dataset.drawn || !document.getElementById('failure').hidden")
