// SPDX-License-Identifier: BSD-2-Clause
// Shared test code: paths, and programs run in a separate process.
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

/** A checkout of the project; bindings/node/test sets the variable. */
const root = process.env.CPRNG_ROOT;
const library = path.dirname(require.resolve("cprng"));
/** Internal files of the package, which programs cannot import by its name. */
const inside = (name) => require(path.join(library, name));

/** Under the address sanitizer, which disables mlock and keeps freed memory. */
const sanitized = (process.env.LD_PRELOAD ?? "").includes("libasan");

/** The reason to skip tests of the addon's pages and file if the package runs as WebAssembly; otherwise false. */
const webassembly = require("cprng").info().form === "webassembly" && "the package runs as WebAssembly";

const vectors = () => JSON.parse(fs.readFileSync(path.join(root, "tests/vectors/numbers.json"), "utf8"));

/** A program's output, as JSON. */
function printed(program, ...options) {
	const run = spawnSync(process.execPath, [...options, "-e", program], { encoding: "utf8", cwd: __dirname, maxBuffer: 2 ** 26 });
	assert.strictEqual(run.status, 0, `${run.signal} ${run.stderr}`);
	return JSON.parse(run.stdout);
}

/** For lists of draws that are equal with probability 2^-40 or less: no value occurs twice in a column. */
function assertApart(lists) {
	assert.ok(lists.length > 1 && lists[0].length > 0);
	for (let i = 0; i < lists[0].length; i++) {
		const column = lists.map((list) => String(list[i]));
		assert.ok(!column.includes("undefined"));
		assert.strictEqual(new Set(column).size, column.length, `draw ${i}: ${column}`);
	}
}

/** One draw of each kind, as program text. */
const SOME = `(cprng) => [
	cprng.random(), cprng.randomInt(2 ** 48), cprng.randomBigInt(2n ** 64n), cprng.normal(), cprng.exponential(), cprng.randomUUID(),
	cprng.randomBytes(8).toString("hex"), cprng.randomBytes(5000).toString("hex"), cprng.strongBytes(8).toString("hex"),
	cprng.randomFillSync(new BigUint64Array(1)), cprng.getRandomValues(new BigInt64Array(1)), cprng.fillDouble(new Float64Array(1)),
	cprng.randomUUIDv7(), cprng.text(20, "abcdefgh"), cprng.fillNormal(new Float64Array(1)), cprng.sample(4, 2 ** 40), cprng.shuffle(Array.from({ length: 50 }, (_, i) => i)),
].map(String)`;

module.exports = { root, library, inside, sanitized, webassembly, vectors, printed, assertApart, SOME };
