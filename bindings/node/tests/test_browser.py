# SPDX-License-Identifier: BSD-2-Clause
"""The package in a browser: vectors.test.js and draws of secrets, in a page from a server on localhost.

CPRNG_PROJECT is a directory with the installed package and these tests."""

import functools
import http.server
import os
import pathlib
import re
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/system/lab/report"))
from browser import browser, wait  # pylint: disable=wrong-import-position  # noqa: E402

EXAMPLE = re.search(r"^```html\n(.*?)^```$", (ROOT / "docs/node.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]

# The parts of Node that vectors.test.js needs.  Hashes are checked at the end, because a browser computes them asynchronously.
PAGE = """<!DOCTYPE html>
<script type="importmap">{"imports": {"cprng": "/node_modules/cprng/c/browser.mjs"}}</script>
<script type="module">
const result = { done: [], failure: null };
try {
	const cprng = await import("cprng");
	const vectors = await (await fetch("/numbers.json")).json();
	const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
	const { toString } = Uint8Array.prototype;
	Uint8Array.prototype.toString = function (encoding) { return encoding === "hex" ? hex(this) : toString.call(this); };
	const Buffer = { from: (text, encoding) => encoding === "hex" ?
		Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16)) : new TextEncoder().encode(text) };
	const ok = (value, message) => { if (!value) throw new Error(message ?? "not ok"); };
	const pending = [];
	const assert = {
		ok, strictEqual: (a, b, message) => ok(Object.is(a, b), `${message}: ${a}, not ${b}`),
		deepStrictEqual(a, b, message) {
			if (a.hashed) pending.push(crypto.subtle.digest("SHA-256", a.hashed).then((sum) => ok(hex(new Uint8Array(sum)) === b, message)));
			else ok(JSON.stringify(a) === JSON.stringify(b), `${message}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`);
		},
		throws(body, expected, message) {
			let found = null;
			try { body(); } catch (error) { found = error; }
			for (const [key, value] of Object.entries(expected)) ok(found?.[key] === value, `${message}: ${found}, not ${key} ${value}`);
		},
	};
	const createHash = () => ({ update: (hashed) => ({ digest: () => ({ hashed }) }) });
	const needed = { cprng, "node:assert": assert, "node:crypto": { createHash }, "./support.js": { vectors: () => vectors },
		"node:test": { test: (name, body) => { body(); result.done.push(name); } } };
	new Function("require", "Buffer", await (await fetch("/tests/vectors.test.js")).text())((name) => needed[name], Buffer);
	await Promise.all(pending);
	result.hashes = pending.length;
	const later = await new Promise((resolve, reject) => cprng.randomBytes(3000000, (error, bytes) => error ? reject(error) : resolve(bytes)));
	const zeros = (bytes) => bytes.reduce((sum, byte) => sum + (byte === 0), 0);
	result.zeros = zeros(later) / later.length;
	result.distinct = new Set(Array.from({ length: 3000 }, () => cprng.random())).size;
	result.uuid = cprng.randomUUID();
	result.large = cprng.randomBigInt(2n ** 63n, 2n ** 64n) >= 2n ** 63n;
	result.normals = cprng.fillNormal(new Float64Array(20000)).reduce((sum, x) => sum + x * x, 0) / 20000;
	result.kinds = [() => cprng.randomInt("6"), () => new cprng.Stream(1, { engine: "none" }), () => cprng.getRandomValues(new Uint8Array(65537))]
		.map((call) => { try { call(); } catch (error) { return typeof error.code === "string" ? error.code : error.name; } });
	result.info = cprng.info();
} catch (error) {
	result.failure = `${error.message} ${error.stack}`;
}
window.result = result;
</script>
"""

# A page that may not compile WebAssembly.
POLICY = "script-src 'self' 'nonce-cprng'"
STRICT = """<!DOCTYPE html>
<script type="module" nonce="cprng">
import * as cprng from "/node_modules/cprng/c/browser.mjs";
const { length } = cprng.randomUUID();
const own = [length, cprng.randomInt(1), cprng.shuffle([1]).length, cprng.text(3, "a"), cprng.getRandomValues(new Uint8Array(40)).some((byte) => byte !== 0)];
const refused = [() => new cprng.Stream(1), () => cprng.normal(), () => cprng.fillDouble(new Float64Array(1))].map((call) => {
	try { call(); } catch (error) { return [error.code, error.message.includes("wasm-unsafe-eval"), error.cause.name]; } });
window.result = [own, refused];
</script>
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".mjs": "text/javascript", ".js": "text/javascript", "": "application/octet-stream"}

    def do_GET(self):
        texts = {"/": PAGE.encode(), "/strict": STRICT.encode(), "/example": EXAMPLE.encode(), "/numbers.json": (ROOT / "tests/vectors/numbers.json").read_bytes()}
        if self.path not in texts:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if self.path.endswith(".json") else "text/html; charset=utf-8")
        if self.path == "/strict":
            self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(texts[self.path])

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


@pytest.fixture(scope="module")
def result():
    handler = functools.partial(Handler, directory=os.environ["CPRNG_PROJECT"])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser() as driver:
            driver.get(f"http://localhost:{server.server_port}/")
            found = wait(driver, "window.result")
            driver.get(f"http://localhost:{server.server_port}/example")
            found["title"] = wait(driver, "document.title")
            driver.get(f"http://localhost:{server.server_port}/strict")
            found["strict"] = wait(driver, "window.result")
        server.shutdown()
    assert found["failure"] is None, found["failure"]
    return found


def test_streams_have_the_numbers_of_all_languages(result):
    """Catches a stream that differs in a browser, and a page that runs none of the vectors."""
    assert len(result["done"]) == 4
    assert result["hashes"] > 0


def test_secrets(result):
    """Catches pieces of a long request that stay zero, numbers that repeat, and wrong ones: 8 standard deviations."""
    assert abs(result["zeros"] - 1 / 256) < 3e-4
    assert result["distinct"] == 3000
    assert abs(result["normals"] - 1) < 0.08
    assert result["large"]
    assert result["uuid"][14] == "4" and len(result["uuid"]) == 36


def test_policy_without_webassembly(result):
    """Catches secrets that fail where a page's policy forbids WebAssembly, and another function that does not say so there."""
    assert result["strict"] == [[36, 0, 1, "aaa", True], [["ERR_CPRNG", True, "CompileError"]] * 3]


def test_page_of_the_documentation(result):
    """Catches an example that fails when its files are served."""
    assert re.fullmatch(r"[0-9a-f-]{36}, 159\.13 cm", result["title"]), result["title"]


def test_errors_and_info(result):
    """Catches errors of another kind than in Node, and an info() without the form."""
    assert result["kinds"] == ["ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE", "QuotaExceededError"]
    info = result["info"]
    assert (info["form"], info["engine"], info["entropy"]) == ("webassembly", "crypto", "getRandomValues")
