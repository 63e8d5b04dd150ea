// SPDX-License-Identifier: BSD-2-Clause
// The vectors shared by all languages.
"use strict";
const assert = require("node:assert");
const { createHash } = require("node:crypto");
const { test } = require("node:test");
const { Stream, Weighted } = require("cprng");
const { vectors } = require("./support.js");

function open(row) {
	const seed = row.integer !== undefined ? BigInt(row.integer) : (row.string ?? Buffer.from(row.bytes ?? "", "hex"));
	const first = seed.length === 0 ? Stream.fromCheckpoint(Buffer.from(row.checkpoint, "hex")) : new Stream(seed, { engine: row.engine });
	return row.path.reduce((stream, index) => stream.child(BigInt(index)), first);
}

// JavaScript lacks hexadecimal floating-point literals: the file has "0x1.8p-3", "-0x0.0p+0", "inf".
function real(text) {
	const found = /^(-?)0x([01])\.([0-9a-f]*)p([+-]\d+)$/.exec(text);
	const [, sign, first, rest, exponent] = found;
	const significand = Number(BigInt(`0x${first}${rest || "0"}`)) / 16 ** (rest || "0").length;
	const scale = Number(exponent);
	// In two steps: the least power is not a double.
	const value = significand * 2 ** Math.trunc(scale / 2) * 2 ** (scale - Math.trunc(scale / 2));
	return sign ? -value : value;
}

const digest = (array) => createHash("sha256").update(new Uint8Array(array.buffer)).digest("hex");
const one = (count) => Array.from({ length: count }, (_, i) => i);

function uniform(stream, bound) {
	// For a bound of 0, C draws 4 bytes and returns 0; randomInt refuses it.
	if (bound === "0") return String(0 * stream.uint32());
	const safe = Number.isSafeInteger(Number(bound));
	const clone = stream.clone();
	const fill = () => (safe ? clone.fillIntegers(new Float64Array(1), 0, Number(bound)) : clone.fillIntegers(new BigUint64Array(1), 0n, BigInt(bound)));
	try {
		const number = String(safe ? stream.randomInt(Number(bound)) : stream.randomBigInt(BigInt(bound)));
		assert.strictEqual(String(fill()[0]), number); // an array has the numbers of single calls
		return number;
	} catch (error) {
		if (error.code === "ERR_OUT_OF_RANGE") assert.throws(fill, { code: error.code });
		throw error;
	} finally {
		assert.strictEqual(clone.offset, stream.offset);
	}
}

// In C both ends are included, and may be in either order.
const between = (lo, hi) => (BigInt(lo) < BigInt(hi) ? [BigInt(lo), BigInt(hi) + 1n] : [BigInt(hi), BigInt(lo) + 1n]);

const perform = {
	read: (stream, n) => stream.randomBytes(n).toString("hex"),
	seek: (stream, offset) => String(stream.seek(BigInt(offset)).offset),
	tell: (stream) => String(stream.offset),
	u8: (stream) => String(stream.uint8()),
	u16: (stream) => String(stream.uint16()),
	u32: (stream) => String(stream.uint32()),
	u64: (stream) => String(stream.uint64()),
	bool: (stream) => String(Number(stream.boolean())),
	float: (stream) => stream.float(),
	double: (stream) => stream.random(),
	uniform32: uniform,
	uniform64: uniform,
	range64: (stream, lo, hi) => String(stream.randomBigInt(...between(lo, hi))),
	int_range: (stream, lo, hi) => String(stream.fillIntegers(new BigInt64Array(1), ...between(lo, hi))[0]),
	shuffle: (stream, n) => stream.shuffle(one(Number(n))).map(String),
	sample: (stream, k, n) => stream.sample(Number(k), Number.isSafeInteger(Number(n)) ? Number(n) : BigInt(n)).map(String),
	normal: (stream, mu, sigma) => stream.normal(real(mu), real(sigma)),
	exponential: (stream, mean) => stream.exponential(real(mean)),
	normals: (stream, n) => digest(stream.fillNormal(new Float64Array(n))),
	exponentials: (stream, n) => digest(stream.fillExponential(new Float64Array(n))),
	doubles: (stream, n) => digest(stream.fillDouble(new Float64Array(n))),
	floats: (stream, n) => digest(stream.fillFloat(new Float32Array(n))),
	checkpoint: (stream) => stream.checkpoint().toString("hex"),
};

/** The same for the vectors of single choices. */
const choose = {
	...perform,
	bernoulli: (stream, p) => String(Number(stream.bernoulli(real(p)))),
	bernoulli_ratio: (stream, numerator, stated) => {
		const denominator = stated === "0" ? "1" : stated; // as which C counts 0
		const numbers = [Number(numerator), Number(denominator)];
		const other = numbers.every(Number.isSafeInteger) ? stream.clone().bernoulli(...numbers) : null;
		const chosen = stream.bernoulli(BigInt(numerator), BigInt(denominator));
		assert.strictEqual(other ?? chosen, chosen);
		return String(Number(chosen));
	},
	weighted: (stream, weights, count) => {
		const table = new Weighted(weights.map(BigInt));
		return one(count).map(() => String(stream.choose(table)));
	},
	text: (stream, length, alphabet) => {
		const symbols = String.fromCharCode(...Buffer.from(alphabet, "hex"));
		return Array.from(stream.text(length, symbols), (symbol) => symbol.charCodeAt(0).toString(16).padStart(2, "0")).join("");
	},
	uuid4: (stream) => stream.randomUUID(),
	uuid7: (stream, milliseconds) => stream.randomUUIDv7(Number(milliseconds)),
};

// Catches a seed, child or checkpoint that differs from the model.
test("seeds and children have the stated keys", () => {
	const { seeds } = vectors();
	assert.strictEqual(seeds.length, 70);
	for (const row of seeds) {
		const stream = open(row);
		const checkpoint = stream.checkpoint();
		assert.strictEqual(checkpoint.toString("hex"), row.checkpoint);
		const again = Stream.fromCheckpoint(checkpoint);
		assert.deepStrictEqual(again.randomBytes(64), stream.randomBytes(64));
		const key = Stream.fromKey(Buffer.from(row.key, "hex"), { engine: row.engine });
		assert.strictEqual(key.checkpoint().toString("hex"), row.checkpoint);
	}
});

/** Compares all steps of the sequences, and returns their number and kinds. */
function compared(rows, how = perform) {
	const kinds = new Set();
	let steps = 0;
	for (const row of rows) {
		const stream = open(row);
		for (const [number, [kind, ...rest]] of row.steps.entries()) {
			const stated = kind === "seek" && rest.length === 1 ? rest[0] : rest.pop();
			const where = `${row.engine}, step ${number}, ${kind} of ${rest}`;
			kinds.add(kind);
			steps++;
			if (stated === "refused") {
				assert.throws(() => how[kind](stream, ...rest), { name: "RangeError", code: "ERR_OUT_OF_RANGE" }, where);
				continue;
			}
			const made = how[kind](stream, ...rest);
			if (typeof made === "number") assert.ok(Object.is(made, real(stated)), `${where}: ${made}, not ${stated}`);
			else assert.deepStrictEqual(made, stated, where);
		}
	}
	return [steps, [...kinds].sort()];
}

// Catches a number made from other bytes or in another way than the specification says.
test("sequences are the stated ones", () => {
	assert.deepStrictEqual(compared(vectors().sequences), [1697, Object.keys(perform).sort()]);
});

// Catches a stream that ends at another offset, refused bytes before the end, and an offset moved by a refused call.
test("ends are the stated ones", () => {
	assert.strictEqual(compared(vectors().ends)[0], 503);
});

// Catches a choice that takes other words, or rejects another one, than the specification says; and an offset moved by a refused one.
test("choices are the stated ones", () => {
	assert.strictEqual(compared(vectors().choices, choose)[0], 953);
});
