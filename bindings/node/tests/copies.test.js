// SPDX-License-Identifier: BSD-2-Clause
// Two copies of a process of which nothing is announced, as of a checkpoint that is restored twice (docs/snapshots.md).
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const { test } = require("node:test");
const { sanitized, webassembly } = require("./support.js");

const COUNT = 4096;
const BUFFER = 4032; // of one CPU
const PAGE = 4088;

/** What both copies drew, as values of `next`; `first` runs in each copy. */
function inCommon(next, first = "") {
	const program = `
		const { writeSync } = require("node:fs");
		const cprng = require("cprng");
		const raw = require(process.env.CPRNG_RAW);
		const next = () => ${next};
		for (let i = 0; i < 3; i++) next(); // the first draws of a process are the kernel's
		const child = raw.fork();
		${first};
		const values = [];
		for (let i = 0; i < ${COUNT}; i++) values.push(next());
		// First the child, and then the parent.
		if (child !== 0 && raw.wait(child) !== 0) throw new Error("the child failed");
		let left = Buffer.from(values.join("\\n") + "\\n");
		while (left.length > 0) left = left.subarray(writeSync(1, left));
		raw.end();`;
	// Without V8's own threads, which a copy lacks.
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

// Catches UUIDs beyond one buffer that two copies have in common, and one that an invalidation leaves.
test("UUIDs of two copies", linux, () => {
	const common = inCommon("cprng.randomUUID()");
	assert.ok(common > 0 && common <= BUFFER / 16, String(common));
	assert.strictEqual(inCommon("cprng.randomUUID()", "cprng.invalidate()"), 0);
});

// Catches the same of numbers, which come from a page of the binding first.
test("numbers of two copies", linux, () => {
	const common = inCommon("cprng.randomInt(2 ** 48)");
	assert.ok(common > 0 && common <= (BUFFER + PAGE) / 8, String(common));
	// Of 4096 numbers of 48 bits 6e-8 pairs are equal.
	assert.strictEqual(inCommon("cprng.randomInt(2 ** 48)", "cprng.invalidate()"), 0);
});
