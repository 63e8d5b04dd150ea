// SPDX-License-Identifier: BSD-2-Clause
// Two copies of a process that nothing reports, such as a checkpoint restored twice (docs/snapshots.md).
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const { test } = require("node:test");
const { sanitized, webassembly } = require("./support.js");

const COUNT = 4096;
const BUFFER = 4032; // one CPU's, in bytes
const PAGE = 4088;

/** The number of values of `next` that both copies drew; `first` runs in each copy. */
function inCommon(next, first = "") {
	const program = `
		const { writeSync } = require("node:fs");
		const cprng = require("cprng");
		const raw = require(process.env.CPRNG_RAW);
		const next = () => ${next};
		for (let i = 0; i < 3; i++) next(); // the kernel serves a process's first draws
		const child = raw.fork();
		${first};
		const values = [];
		for (let i = 0; i < ${COUNT}; i++) values.push(next());
		// The child draws first, then the parent.
		if (child !== 0 && raw.wait(child) !== 0) throw new Error("the child failed");
		let left = Buffer.from(values.join("\\n") + "\\n");
		while (left.length > 0) left = left.subarray(writeSync(1, left));
		raw.end();`;
	// Single-threaded: a copy lacks V8's other threads.
	const run = spawnSync(process.execPath, ["--single-threaded", "-e", program], {
		encoding: "utf8", cwd: __dirname, env: { ...process.env, LD_PRELOAD: process.env.CPRNG_COPIED }, timeout: 600000, maxBuffer: 2 ** 26,
	});
	assert.strictEqual(run.status, 0, `${run.error} ${run.signal} ${run.stderr}`);
	const values = run.stdout.trimEnd().split("\n");
	assert.strictEqual(values.length, 2 * COUNT);
	const of = new Set(values.slice(0, COUNT));
	return values.slice(COUNT).filter((value) => of.has(value)).length;
}

const linux = { skip: webassembly || (process.platform !== "linux" && "the copies are made by Linux") || (sanitized && "it preloads another library") };

// Catches more common UUIDs of two copies than one buffer has, and any common UUID after an invalidation.
test("UUIDs of two copies", linux, () => {
	const common = inCommon("cprng.randomUUID()");
	assert.ok(common > 0 && common <= BUFFER / 16, String(common));
	assert.strictEqual(inCommon("cprng.randomUUID()", "cprng.invalidate()"), 0);
});

// Catches the same for numbers, which come from a page of the binding first.
test("numbers of two copies", linux, () => {
	const common = inCommon("cprng.randomInt(2 ** 48)");
	assert.ok(common > 0 && common <= (BUFFER + PAGE) / 8, String(common));
	// Among 4096 numbers of 48 bits, 6e-8 equal pairs are expected.
	assert.strictEqual(inCommon("cprng.randomInt(2 ** 48)", "cprng.invalidate()"), 0);
});
