// SPDX-License-Identifier: BSD-2-Clause
// Packages that accept a generator, used with this one; and the calls of Node and of packages that this one replaces.
"use strict";
const assert = require("node:assert");
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const cprng = require("cprng");
const { root } = require("./support.js");

const mean = (draw, count = 20000) => Array.from({ length: count }, draw).reduce((sum, one) => sum + one, 0) / count;

// Catches bytes that uuid does not accept, or does not use.
test("uuid", async () => {
	const uuid = await import("uuid");
	const seen = new Set();
	for (let i = 0; i < 2000; i++) {
		for (const options of [{ rng: () => cprng.randomBytes(16) }, { random: cprng.getRandomValues(new Uint8Array(16)) }]) {
			const text = uuid.v4(options);
			assert.ok(uuid.validate(text) && uuid.version(text) === 4);
			seen.add(text);
		}
		const own = cprng.randomUUID();
		assert.ok(uuid.validate(own) && uuid.version(own) === 4);
	}
	assert.strictEqual(seen.size, 4000);
	assert.strictEqual(uuid.version(uuid.v7({ rng: () => cprng.randomBytes(16) })), 7);
	// Reproducible identifiers for tests.
	const made = (stream) => [uuid.v4({ rng: () => stream.randomBytes(16) }), uuid.v4({ rng: () => stream.randomBytes(16) })];
	assert.deepStrictEqual(made(new cprng.Stream("ids")), made(new cprng.Stream("ids")));
});

// Catches bytes that nanoid does not accept.
test("nanoid", async () => {
	const { customRandom } = await import("nanoid");
	const id = customRandom("abcdef", 20, (size) => cprng.randomBytes(size));
	const all = Array.from({ length: 2000 }, id);
	assert.ok(all.every((one) => /^[a-f]{20}$/.test(one)) && new Set(all).size === all.length);
});

// Catches numbers from which d3-random makes wrong distributions.
test("d3-random", async () => {
	const d3 = await import("d3-random");
	for (const source of [cprng.random, ((stream) => () => stream.random())(new cprng.Stream(1))]) {
		assert.ok(Math.abs(mean(d3.randomNormal.source(source)(5, 2)) - 5) < 8 * (2 / Math.sqrt(20000)));
		assert.ok(Math.abs(mean(d3.randomExponential.source(source)(0.5)) - 2) < 8 * (2 / Math.sqrt(20000)));
		assert.ok(Math.abs(mean(d3.randomInt.source(source)(0, 7)) - 3) < 8 * (2 / Math.sqrt(20000)));
	}
});

// Catches an engine that random-js does not accept: it needs signed 32-bit numbers.
test("random-js", () => {
	const { Random } = require("random-js");
	const stream = new cprng.Stream(1);
	for (const engine of [{ next: () => cprng.randomInt(2 ** 32) | 0 }, { next: () => stream.uint32() | 0 }]) {
		const random = new Random(engine);
		assert.ok(Math.abs(mean(() => random.integer(1, 6)) - 3.5) < 8 * (1.71 / Math.sqrt(20000)));
		assert.ok(Math.abs(mean(() => random.real(0, 1)) - 0.5) < 8 * (0.29 / Math.sqrt(20000)));
		assert.strictEqual(new Set(random.shuffle([1, 2, 3, 4])).size, 4);
	}
});

// Catches a stream that pure-rand's distributions do not accept as a generator.
test("pure-rand", () => {
	const { unsafeUniformIntDistribution, uniformIntDistribution } = require("pure-rand");
	class Generator {
		constructor(stream) {
			this.stream = stream;
		}
		clone() {
			return new Generator(this.stream.clone());
		}
		next() {
			const other = this.clone();
			return [other.unsafeNext(), other];
		}
		unsafeNext() {
			return this.stream.uint32() | 0;
		}
		getState() {
			return [...this.stream.checkpoint()];
		}
	}
	const generator = new Generator(new cprng.Stream(1));
	assert.deepStrictEqual(uniformIntDistribution(1, 6)(generator)[0], uniformIntDistribution(1, 6)(generator)[0]);
	assert.ok(Math.abs(mean(() => unsafeUniformIntDistribution(1, 6, generator)) - 3.5) < 8 * (1.71 / Math.sqrt(20000)));
});

const thrown = (call) => { try { call(); } catch (error) { return error; } };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const inRange = (value, min, max) => assert.ok(Number.isSafeInteger(value) && value >= min && value < max, String(value));

/** Both calls throw an error of the same code, or name. */
function alike(today, here, given) {
	const [first, second] = [today, here].map((call) => thrown(() => call(given)));
	assert.ok(first !== undefined && second !== undefined);
	assert.deepStrictEqual([second.name, second.code], [first.name, first.code]);
}

const differs = (here, given, type) => assert.throws(() => here(given), (error) => error instanceof type && typeof error.code === "string");
const later = (call, given) => new Promise((resolve, reject) => call({ ...given, callback: (error, result) => (error ? reject(error) : resolve(result)) }));

// By the first cell of a row: what its third says of both calls, which take the values of their variables.
const CASES = {
	"Math.random()": (today, here) => {
		for (const draw of [today, here]) for (let i = 0; i < 1000; i++) assert.ok(draw() >= 0 && draw() < 1);
		assert.ok(Number.isInteger(here() * 2 ** 53));
	},
	"Math.floor(Math.random() * n)": (today, here) => {
		for (const draw of [today, here]) inRange(draw({ n: 6 }), 0, 6);
		assert.strictEqual(today({ n: 0 }), 0);
		differs(here, { n: 0 }, RangeError);
		differs(here, { n: 1.5 }, TypeError);
	},
	"array[Math.floor(Math.random() * array.length)]": (today, here) => {
		for (const draw of [today, here]) assert.ok("abc".includes(draw({ array: ["a", "b", "c"] })));
		assert.strictEqual(today({ array: [] }), undefined);
		differs(here, { array: [] }, RangeError);
	},
	"array.sort(() => Math.random() - 0.5)": (today, here) => {
		for (const order of [today, here]) {
			const array = [1, 2, 3, 4, 5];
			assert.strictEqual(order({ array }), array);
			assert.strictEqual(new Set(array).size, 5);
		}
		differs(here, { array: "abc" }, TypeError);
	},
	"crypto.randomBytes(size)": (today, here) => {
		for (const draw of [today, here]) assert.ok(Buffer.isBuffer(draw({ size: 32 })) && draw({ size: 32 }).length === 32);
		for (const size of [-1, "1", NaN, 2 ** 31]) alike(today, here, { size });
	},
	"crypto.randomBytes(size, callback)": async (today, here) => {
		for (const draw of [today, here]) assert.strictEqual((await later(draw, { size: 3000000 })).length, 3000000);
	},
	"crypto.randomFillSync(buffer, offset, size)": (today, here) => {
		for (const fill of [today, here]) {
			const buffer = new Uint32Array(64);
			assert.strictEqual(fill({ buffer, offset: 8, size: 48 }), buffer);
			assert.ok(buffer.subarray(0, 8).every((one) => one === 0) && buffer.subarray(8, 56).some((one) => one !== 0) && buffer[56] === 0);
		}
		for (const [offset, size] of [[65, 0], [0, 65], [-1, 1], ["0", 1]]) alike(today, here, { buffer: new Uint32Array(64), offset, size });
		alike(today, here, { buffer: [], offset: 0, size: 0 });
	},
	"crypto.randomFill(buffer, callback)": async (today, here) => {
		for (const fill of [today, here]) assert.ok((await later(fill, { buffer: new Uint8Array(64) })).some((one) => one !== 0));
		const buffer = new Uint8Array(3000000);
		const filled = later(here, { buffer });
		structuredClone(buffer.buffer, { transfer: [buffer.buffer] });
		await assert.rejects(filled, { code: "ERR_OUT_OF_RANGE" });
	},
	"crypto.randomInt(min, max)": (today, here) => {
		for (const draw of [today, here]) inRange(draw({ min: 1, max: 7 }), 1, 7);
		for (const [min, max] of [[5, 5], [5, 4], ["1", 2], [0, 1.5]]) alike(today, here, { min, max });
		assert.strictEqual(thrown(() => today({ min: 0, max: 5 })), undefined);
		const [min, max] = [0, 2 ** 53 - 1];
		assert.strictEqual(thrown(() => today({ min, max })).code, "ERR_OUT_OF_RANGE");
		inRange(here({ min, max }), min, max);
	},
	"crypto.randomUUID()": (today, here) => {
		for (const draw of [today, here]) assert.match(draw(), UUID);
	},
	"webcrypto.getRandomValues(array)": (today, here) => {
		const array = new Uint16Array(32768);
		for (const fill of [today, here]) assert.strictEqual(fill({ array }), array);
		const names = [new Uint8Array(65537), new Float32Array(1)].map((wrong) => [today, here].map((call) => thrown(() => call({ array: wrong })).name));
		assert.deepStrictEqual(names, [["QuotaExceededError", "QuotaExceededError"], ["TypeMismatchError", "TypeMismatchError"]]);
	},
	"nanoid(size)": (today, here) => {
		const alphabet = "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict";
		for (const draw of [today, here]) assert.match(draw({ size: 30, alphabet }), /^[\w-]{30}$/);
		assert.strictEqual(today({ size: "4" }).length, 4);
		differs(here, { size: "4", alphabet }, TypeError);
	},
	"nanoid.customAlphabet(alphabet, size)()": (today, here) => {
		for (const draw of [today, here]) assert.match(draw({ alphabet: "abc", size: 30 }), /^[abc]{30}$/);
		const given = { alphabet: "\u{1f600}\u{1f603}", size: 9 };
		assert.deepStrictEqual([today(given).length, here(given).length], [9, 18]);
		differs(here, { alphabet: "", size: 9 }, RangeError);
	},
	"nanoid.customRandom(alphabet, size, random)()": (today, here) => {
		const given = () => ({ alphabet: "abc", size: 30, random: (count) => new Uint8Array(count).fill(1), stream: new cprng.Stream("ids") });
		for (const draw of [today, here]) {
			assert.match(draw(given()), /^[abc]{30}$/);
			assert.strictEqual(draw(given()), draw(given()));
		}
	},
	"uuid.v4()": (today, here) => {
		for (const draw of [today, here]) assert.match(draw(), UUID);
	},
	"uuid.v7()": (today, here) => {
		for (const draw of [today, here]) {
			const [first, second] = [draw(), draw()];
			assert.match(first, UUID);
			assert.ok(first < second);
		}
	},
	"uuid.v7({ msecs, random })": (today, here) => {
		const given = (msecs) => ({ msecs, random: new Uint8Array(16), stream: new cprng.Stream(1) });
		for (const draw of [today, here]) {
			assert.match(draw(given(5)), /^00000000-0005-7/);
			assert.strictEqual(draw(given(5)), draw(given(5)));
		}
		assert.match(today(given(2 ** 48)), /^00000000-0000-7/);
		differs(here, given(2 ** 48), RangeError);
	},
	"seedrandom(seed)()": (today, here) => {
		for (const draw of [today, here]) assert.strictEqual(draw({ seed: "seed" }), draw({ seed: "seed" }));
		assert.notStrictEqual(today({ seed: "seed" }), here({ seed: "seed" }));
		assert.strictEqual(typeof today({ seed: "" }), "number");
		differs(here, { seed: "" }, TypeError);
	},
	"d3.randomNormal(mu, sigma)()": (today, here) => {
		for (const draw of [today, here]) assert.ok(Math.abs(mean(() => draw({ mu: 5, sigma: 2 }), 2000) - 5) < 8 * (2 / Math.sqrt(2000)));
		assert.ok(Number.isNaN(today({ mu: NaN, sigma: 1 })));
		for (const given of [{ mu: NaN, sigma: 1 }, { mu: 0, sigma: Infinity }]) differs(here, given, RangeError);
	},
};

// Catches a row of the page's first table that is false, has no case here, or is not a row any more.
test("what you use today, and the call here", async () => {
	const [table] = fs.readFileSync(path.join(root, "docs/node.md"), "utf8").match(/^\| what you use today .*\n(?:\|.*\n)+/m);
	const rows = [...table.matchAll(/^\| `(.+?)` \| `(.+?)` \| .+ \|$/gm)];
	assert.strictEqual(rows.length, table.trim().split("\n").length - 2);
	assert.deepStrictEqual(rows.map(([, today]) => today).sort(), Object.keys(CASES).sort());
	const [ids, uuid, d3] = await Promise.all(["nanoid", "uuid", "d3-random"].map((name) => import(name)));
	const nanoid = Object.assign((...given) => ids.nanoid(...given), ids);
	const names = { crypto, webcrypto: crypto.webcrypto, nanoid, uuid, d3, seedrandom: require("seedrandom") };
	const callOf = (code, scope) => (given = {}) => {
		const all = { ...scope, ...given };
		return new Function(...Object.keys(all), `return ${code};`)(...Object.values(all));
	};
	for (const [, today, here] of rows) await CASES[today](callOf(today, names), callOf(here, cprng));
});
