// SPDX-License-Identifier: BSD-2-Clause
// The pages that serve numbers: erasure, invalidation, forks, memory advice, and Node versions that allow no pages.
"use strict";
const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { Worker } = require("node:worker_threads");
const { inside, library, printed, sanitized, webassembly } = require("./support.js");

const addon = inside("addon.js");
const { wordsOf, standardOf } = inside("block.js");
const { numbersOf } = inside("numbers.js");
const { KINDS } = inside("kinds.js");

/** For each kind of page: its name, drawing function and words, and the numbers after the header. */
function kinds() {
	const { word, words } = wordsOf(addon);
	const rows = [["words", word, words, words.subarray(2)]];
	for (const name of ["normal", "exponential"]) {
		const block = standardOf(addon, KINDS[name]);
		rows.push([name, block.standard, block.words, new Float64Array(block.words.buffer).subarray(1)]);
	}
	return rows;
}

const linux = { skip: webassembly || (process.platform !== "linux" && "the pages are wiped on a fork by Linux alone") };
const anywhere = { skip: !webassembly && linux.skip };

// Catches a page that keeps served numbers, or serves one twice.
test("what was served is erased", anywhere, () => {
	for (const [name, draw, words, numbers] of kinds()) {
		const seen = new Set();
		for (let i = 0; i < 5000; i++) {
			const value = draw();
			// This includes the served number's place.
			assert.ok(numbers.subarray(words[0]).every((number) => number === 0), `${name}: draw ${i} leaves something behind`);
			seen.add(value);
		}
		// Among 5000 words of 32 bits, 0.003 equal pairs are expected.
		assert.ok(seen.size >= 4998, `${name}: ${seen.size}`);
	}
});

// Catches an invalidation or reseed after which an earlier number is served.
test("an invalidation drops the pages", anywhere, () => {
	for (const drop of [() => addon.invalidate(), () => assert.strictEqual(addon.reseed(), 0)]) {
		for (const [name, draw, words, numbers] of kinds()) {
			draw();
			const old = new Set(numbers.filter((number) => number !== 0));
			drop();
			assert.notStrictEqual(words[1], 0);
			let same = 0;
			for (let i = 0; i < 400; i++) same += old.has(draw());
			assert.ok(same <= 1, `${name}: ${same} of before`);
			assert.strictEqual(words[1], 0);
		}
	}
});

// Catches an invalidation that other threads' pages do not notice.
test("an invalidation reaches other threads", linux, async () => {
	const worker = new Worker(
		`const { parentPort, workerData } = require("node:worker_threads");
		const addon = require(workerData.library + "/addon.js");
		const { word, words } = require(workerData.library + "/block.js").wordsOf(addon);
		word();
		parentPort.on("message", () => parentPort.postMessage([words[1], word(), words[1]]));
		parentPort.postMessage("drawn");`,
		{ eval: true, workerData: { library } },
	);
	const next = () => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
	try {
		await next();
		worker.postMessage("before");
		assert.strictEqual((await next())[0], 0);
		addon.invalidate();
		worker.postMessage("after");
		const [stale, , then] = await next();
		assert.deepStrictEqual([stale, then], [1, 0]);
	} finally {
		await worker.terminate();
	}
});

// Catches numbers that a forked child inherits and would repeat.
test("a forked child finds nothing in the pages", linux, () => {
	const { inChild } = require(process.env.CPRNG_RAW);
	for (const [name, draw, words] of kinds()) {
		draw();
		assert.ok(words[0] > 0 && words.some((word) => word !== 0));
		const seen = inChild(words);
		assert.ok(seen.length === words.byteLength && seen.every((byte) => byte === 0), name);
		// Empty and not stale: a child's or new thread's first draw refills it.
		assert.ok(words[0] > 0);
	}
	const mine = new Uint32Array(4).fill(7);
	assert.deepStrictEqual([...inChild(mine)], [...Buffer.from(mine.buffer)]);
});

/** The flags of a page in /proc/self/smaps, which show the kernel's advice. */
function flagsOf(address) {
	let inRange = false;
	for (const line of fs.readFileSync("/proc/self/smaps", "utf8").split("\n")) {
		const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
		if (range) inRange = BigInt(`0x${range[1]}`) <= address && address < BigInt(`0x${range[2]}`);
		else if (inRange && line.startsWith("VmFlags:")) return line.split(" ").slice(1);
	}
	return [];
}

// Catches a page that is in core files, inherited by a child, or swappable.
test("pages are wiped on a fork, left out of core files, and locked", linux, () => {
	const raw = require(process.env.CPRNG_RAW);
	const { words, word } = wordsOf(addon);
	word();
	const flags = flagsOf(raw.address(words));
	assert.ok(flags.includes("wf") && flags.includes("dd"), flags.join());
	if (!sanitized) assert.strictEqual(flags.includes("lo"), require("cprng").info().blockLock === "locked", flags.join());
	// An array of the program has none of these flags.
	assert.ok(!flagsOf(raw.address(new Uint8Array(65536))).includes("wf"));
});

// Catches pages that a child would inherit because the system only pretends to wipe them.
test("there are no pages where nothing is wiped", { skip: linux.skip || (sanitized && "its library must be the first") }, () => {
	const program = `const addon = require(${JSON.stringify(path.join(library, "addon.js"))}); JSON.stringify([addon.block(), addon.word()])`;
	const env = { ...process.env, LD_PRELOAD: process.env.CPRNG_RAW };
	const [block, word] = JSON.parse(execFileSync(process.execPath, ["-p", program], { env, encoding: "utf8" }));
	assert.ok(block === null && Number.isInteger(word));
	assert.notStrictEqual(addon.block(), null);
});

// Catches a binding that fails, or repeats itself, if V8 forbids an addon's pages (Electron).
test("without pages", () => {
	const calls = [];
	const without = { ...Object.fromEntries(Object.keys(addon).map((key) => [key, addon[key]])), block: () => null };
	without.word = () => calls.push("word") && addon.word();
	const { word, words } = wordsOf(without);
	const { random, below } = numbersOf(word);
	const numbers = new Set(Array.from({ length: 2000 }, random));
	assert.ok(words === null && numbers.size === 2000 && calls.length === 4000);
	assert.ok(below(6) < 6 && calls.length > 4000);
	const single = () => 0.5;
	assert.strictEqual(standardOf(without, KINDS.normal, single).standard, single);
});

// Catches pages that outlive their arrays or threads.
test("pages are given back", linux, () => {
	const [before, after] = printed(
		`const fs = require("node:fs");
		const { Worker } = require("node:worker_threads");
		const addon = require(${JSON.stringify(require.resolve("cprng"))}.replace("index.js", "addon.js"));
		const wiped = () => fs.readFileSync("/proc/self/smaps", "utf8").split("\\n").reduce(
			([kib, sum], line) => line.startsWith("Size:") ? [parseInt(line.slice(5)), sum] :
				line.startsWith("VmFlags:") && / wf/.test(line) ? [0, sum + kib] : [kib, sum], [0, 0])[1];
		(async () => {
			const turns = async (count) => {
				for (let i = 0; i < count; i++) {
					for (let k = 0; k < 50; k++) addon.refill(addon.block(), 0);
					await new Promise((resolve) => new Worker("require('cprng').random()", { eval: true }).on("exit", resolve));
					gc();
					await new Promise(setImmediate);
				}
			};
			await turns(3);
			const before = wiped();
			await turns(10);
			console.log(JSON.stringify([before, wiped()]));
		})();`,
		"--expose-gc",
	);
	// 500 more pages and 10 threads; some pages are not collected yet.
	assert.ok(after - before < 4 * 150, `${before} and ${after} KiB`);
});
