// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const cprng = require("cprng");
const { Stream } = cprng;
const { inside } = require("./support.js");

const { scaled, numbersOf } = inside("numbers.js");
const sources = [["system", cprng], ["Stream", new Stream(7)]];

/** Whether the mean of the numbers is right, within eight standard deviations. */
function assertMean(where, numbers, mean, deviation) {
	let sum = 0;
	for (const number of numbers) sum += Number(number);
	const off = (sum / numbers.length - mean) / (deviation / Math.sqrt(numbers.length));
	assert.ok(Math.abs(off) < 8, `${where}: the mean is ${off} deviations off`);
}

const many = (draw, count = 20000) => Array.from({ length: count }, draw);

// Catches numbers with a wrong distribution, for each way to draw them.
test("distributions", () => {
	for (const [name, source] of sources) {
		const uniform = 1 / Math.sqrt(12);
		assertMean(`${name} random`, many(() => source.random()), 0.5, uniform);
		assertMean(`${name} normal`, many(() => source.normal(3, 2)), 3, 2);
		assertMean(`${name} normal squared`, many(() => source.normal() ** 2), 1, Math.SQRT2);
		assertMean(`${name} exponential`, many(() => source.exponential(5)), 5, 5);
		assertMean(`${name} fillDouble`, source.fillDouble(new Float64Array(20000)), 0.5, uniform);
		assertMean(`${name} fillFloat`, source.fillFloat(new Float32Array(20000)), 0.5, uniform);
		assertMean(`${name} fillNormal`, source.fillNormal(new Float64Array(20000), -1, 3), -1, 3);
		assertMean(`${name} fillExponential`, source.fillExponential(new Float64Array(20000), 2), 2, 2);
		assertMean(`${name} fillUint32`, source.fillUint32(new Uint32Array(20000)), 2 ** 31, 2 ** 32 * uniform);
		assertMean(`${name} fillUint64`, source.fillUint64(new BigUint64Array(20000)), 2 ** 63, 2 ** 64 * uniform);
		assert.ok(many(() => source.random()).every((number) => number >= 0 && number < 1 && Number.isInteger(number * 2 ** 53)));
		// The lowest of 53 bits is set in half of the numbers.
		assertMean(`${name} bit 0`, many(() => (source.random() * 2 ** 53) % 2), 0.5, 0.5);
	}
});

// One range for each method of drawing.
const RANGES = [
	[0, 1], [0, 2], [1, 7], [-5, 5], [0, 1000000], [0, 2 ** 21], [0, 2 ** 21 + 1], [0, 3 * 2 ** 30], [-(2 ** 31), 2 ** 31],
	[0, 2 ** 32 + 1], [0, 2 ** 48], [0, 2 ** 53 - 1], [-(2 ** 52), 2 ** 52 - 1], [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
];

// Catches an integer outside its range, or a range that is not covered evenly.
test("randomInt", () => {
	for (const [name, source] of sources) {
		for (const [min, max] of RANGES) {
			const where = `${name} ${min} to ${max}`;
			const numbers = many(() => source.randomInt(min, max), 5000);
			assert.ok(numbers.every((number) => Number.isSafeInteger(number) && number >= min && number < max), where);
			const count = max - min;
			if (count > 1) {
				assertMean(where, numbers.map((number) => (number - min) / (count - 1)), 0.5, 0.5);
				// Without rejection the first third would be favoured if the count is 3 * 2^30.
				const third = numbers.filter((number) => number - min < count / 3).length / numbers.length;
				if (count > 100) assert.ok(Math.abs(third - 1 / 3) < 8 * Math.sqrt(2 / 9 / numbers.length), `${where}: ${third}`);
			}
			if (count < 20) assert.strictEqual(new Set(numbers).size, count, where);
		}
		assert.ok(source.randomInt(3) < 3);
	}
});

// Catches a bias that no number of draws reveals: a value at an edge that should be rejected but is not.
test("rejections", () => {
	const of = (...words) => {
		const left = [...words];
		return [() => left.shift(), left];
	};
	// 2^32 mod 3 is 1: the word 0 is rejected, 1 is not.
	let [next, left] = of(0, 0, 2 ** 32 - 1, 7);
	assert.deepStrictEqual([scaled(next, 3), left], [2, [7]]);
	[next, left] = of(1, 7);
	assert.deepStrictEqual([scaled(next, 3), left], [0, [7]]);
	// A power of two rejects nothing.
	[next, left] = of(0, 7);
	assert.deepStrictEqual([scaled(next, 2 ** 21), left], [0, [7]]);
	// For counts above 2^21, words above the last multiple are rejected.
	[next, left] = of(3 * 2 ** 30, 2 ** 32 - 1, 3 * 2 ** 30 - 1, 7);
	assert.deepStrictEqual([numbersOf(next).below(3 * 2 ** 30), left], [3 * 2 ** 30 - 1, [7]]);
	[next, left] = of(2 ** 32 - 1, 2 ** 32 - 1, 1024, 1, 7);
	assert.deepStrictEqual([numbersOf(next).below(2 ** 53 - 1), left], [1, [7]]);
	// In Lemire's method the product is exact even for the largest factors.
	[next] = of(2 ** 32 - 1);
	assert.strictEqual(scaled(next, 2 ** 21 - 1), 2 ** 21 - 2);
});

// Catches integers in arrays that are out of range, truncated, or have the wrong sign.
test("fillIntegers and randomBigInt", () => {
	for (const [name, source] of sources) {
		for (const [View, min, max] of [
			[Int32Array, -3, 4], [Int32Array, -(2 ** 31), 2 ** 31], [Uint32Array, 0, 2 ** 32], [Uint32Array, 10, 11],
			[Float64Array, -(2 ** 40), 2 ** 40], [Float64Array, 0, 2 ** 53 - 1],
			[BigInt64Array, -(2n ** 63n), 2n ** 63n], [BigInt64Array, -5n, 6n], [BigUint64Array, 0n, 2n ** 64n], [BigUint64Array, 7n, 9n],
		]) {
			const array = new View(5000);
			assert.strictEqual(source.fillIntegers(array, min, max), array);
			assert.ok(array.every((number) => number >= min && number < max), `${name} ${View.name} ${min}`);
			const [first, count] = [Number(min), Number(max) - Number(min)];
			assertMean(`${name} ${View.name} ${min}`, array, first + (count - 1) / 2, count / 2);
			if (count < 20) assert.strictEqual(new Set(array).size, count);
		}
		for (const [min, max] of [[-(2n ** 63n), 2n ** 63n], [0n, 2n ** 64n], [-10n, -8n], [2n ** 64n - 2n, 2n ** 64n], [0n, 3n]]) {
			const numbers = many(() => source.randomBigInt(min, max), 2000);
			assert.ok(numbers.every((number) => typeof number === "bigint" && number >= min && number < max));
			assertMean(`${name} ${min}`, numbers.map((number) => Number(number - min)), (Number(max - min) - 1) / 2, Number(max - min) / 2);
		}
		assert.ok(source.randomBigInt(3n) < 3n);
	}
});

/** Whether events with these probabilities happened about as often as expected: within eight standard deviations. */
function assertOften(where, counts, probabilities) {
	const total = counts.reduce((sum, count) => sum + count, 0);
	counts.forEach((count, i) => {
		const expected = total * probabilities[i];
		assert.ok(Math.abs(count - expected) <= 8 * Math.sqrt(expected * (1 - probabilities[i])), `${where}: ${count}, not ${expected}`);
	});
}

// Catches a choice with a wrong probability, for each way to draw it.
test("single choices", () => {
	const weights = [5, 0, 25, 70];
	for (const [name, source] of sources) {
		for (const [given, p] of [[[0], 0], [[1], 1], [[-1], 0], [[7], 1], [[NaN], 0], [[0.3], 0.3], [[2 ** -40], 2 ** -40], [[1, 6], 1 / 6], [[5n, 6n], 5 / 6],
			[[0, 9], 0], [[9, 9], 1], [[2n ** 63n, 2n ** 64n - 1n], 0.5], [[3, 2 ** 50], 3 / 2 ** 50]]) {
			const hits = many(() => source.bernoulli(...given)).filter((one) => one === true).length;
			assertOften(`${name} bernoulli(${given})`, [hits, 20000 - hits], [p, 1 - p]);
		}
		// By numbers, and by BigInts.
		for (const factor of [1n, 2n ** 54n]) {
			const weighted = new cprng.Weighted(weights.map((weight) => BigInt(weight) * factor));
			const counts = [0, 0, 0, 0];
			for (let i = 0; i < 20000; i++) counts[source.choose(weighted)]++;
			assertOften(`${name} choose`, counts, weights.map((weight) => weight / 100));
		}
		assert.strictEqual(source.choose(new cprng.Weighted(new Uint8Array([0, 0, 3]))), 2);
		for (const alphabet of ["ab", "abc", "0123456789abcdefghjkmnpqrstvwxyz", "a\u{1f600}\u00e9", String.fromCharCode(...Array(256).keys())]) {
			const [symbols, text] = [Array.from(alphabet), Array.from(source.text(20000, alphabet))];
			assert.strictEqual(text.length, 20000);
			assertOften(`${name} text`, symbols.map((symbol) => text.filter((one) => one === symbol).length), symbols.map(() => 1 / symbols.length));
		}
		assert.strictEqual(source.text(0, "x"), "");
		assert.strictEqual(source.text(3, "x"), "xxx");
	}
	const id = cprng.customAlphabet("abcdef", 20);
	assert.match(id(), /^[a-f]{20}$/);
	assert.match(id(4), /^[a-f]{4}$/);
	assert.strictEqual(cprng.customAlphabet("xy")().length, 21);
});

// Catches UUIDs that are not of their version, repeat, or are out of order or far from the clock's time.
test("UUIDs of version 7", () => {
	const before = Date.now();
	const all = many(() => cprng.randomUUIDv7());
	assert.ok(all.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)));
	assert.deepStrictEqual(all, [...all].sort());
	assert.strictEqual(new Set(all).size, all.length);
	const time = (uuid) => parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
	// Each millisecond has room for 2048 or more, and the clock may be read earlier than Date.now.
	assert.ok(time(all[0]) >= before - 1 && time(all[19999]) <= Date.now() + 10);
	assert.ok(time(new Stream(1).randomUUIDv7(2 ** 48 - 1)) === 2 ** 48 - 1);
});

// Catches an order or choice that is impossible or constant, or that omits elements.
test("shuffle and sample", () => {
	for (const [name, source] of sources) {
		const array = Array.from({ length: 100 }, (_, i) => i);
		const order = source.shuffle([...array]);
		assert.notDeepStrictEqual(order, array); // probability 1 / 100!
		assert.deepStrictEqual([...order].sort((a, b) => a - b), array);
		const typed = new Uint8Array(array);
		assert.strictEqual(source.shuffle(typed), typed);
		assert.deepStrictEqual([...typed].sort((a, b) => a - b), array);
		const counts = {};
		for (let i = 0; i < 6000; i++) {
			const key = source.shuffle(["a", "b", "c"]).join("");
			counts[key] = (counts[key] ?? 0) + 1;
		}
		assert.strictEqual(Object.keys(counts).length, 6);
		for (const count of Object.values(counts)) assert.ok(Math.abs(count - 1000) < 8 * Math.sqrt(833), `${name}: ${count}`);
		assert.deepStrictEqual(source.sample(5, 5).sort(), [0, 1, 2, 3, 4]);
		assert.deepStrictEqual(source.sample(0, 0), []);
		const chosen = source.sample(50, 2 ** 53 - 1);
		assert.ok(new Set(chosen).size === 50 && chosen.every((one) => Number.isSafeInteger(one) && one >= 0));
	}
});

// Catches an order by C that differs from that of single numbers, or an array whose size or stream's end is at a border of the two.
test("orders are those of single numbers", () => {
	for (const [length, offset] of [[2, 0n], [15, 0n], [16, 0n], [127, 0n], [128, 0n], [16384, 0n], [16385, 0n], [300, 2n ** 64n - 2000n]]) {
		const values = Array.from({ length }, (_, i) => i);
		const choices = new Stream(9).seek(offset);
		const expected = [...values];
		for (let count = length; count > 1; count--) {
			const other = choices.randomInt(count);
			[expected[count - 1], expected[other]] = [expected[other], expected[count - 1]];
		}
		for (const array of [values, Int32Array.from(values), Float64Array.from(values), Uint16Array.from(values)]) {
			const stream = new Stream(9).seek(offset);
			assert.deepStrictEqual(Array.from(stream.shuffle(array)), expected);
			assert.strictEqual(stream.offset, choices.offset);
		}
	}
});

// Catches an order by C in which an element is more likely at some places: within eight standard deviations.
test("elements are at every place", () => {
	for (const [make, length] of [[() => Uint8Array.from({ length: 16 }, (_, i) => i), 16], [() => Array.from({ length: 128 }, (_, i) => i), 128]]) {
		const counts = new Array(length).fill(0);
		for (let i = 0; i < 100 * length; i++) counts[cprng.shuffle(make()).indexOf(1)]++;
		assert.ok(counts.every((count) => Math.abs(count - 100) < 80), String(counts));
	}
});

// Catches a kind of array that loses or repeats an element, and kinds that the same choices order differently.
test("arrays of all kinds keep their elements", () => {
	const values = Array.from({ length: 60 }, (_, i) => i);
	const expected = new Stream(5).shuffle([...values]);
	class Own extends Array {}
	const views = [Int8Array, Uint8ClampedArray, Int32Array, Float64Array, Buffer].map((View) => View.from(values));
	const shared = new Uint16Array(new SharedArrayBuffer(120));
	shared.set(values);
	const around = new Uint8Array([99, ...values, 99]);
	for (const array of [...views, shared, around.subarray(1, 61), Own.from(values), Object.seal([...values]), new Proxy([...values], {})]) {
		assert.strictEqual(new Stream(5).shuffle(array), array);
		assert.deepStrictEqual(Array.from(array), expected);
	}
	assert.deepStrictEqual([around[0], around[61]], [99, 99]);
	assert.deepStrictEqual(new Stream(5).shuffle(BigInt64Array.from(values, BigInt)), BigInt64Array.from(expected, BigInt));
	// A hole counts as undefined; the length is unchanged.
	const holes = [...values];
	for (let i = 0; i < 60; i += 3) delete holes[i];
	assert.deepStrictEqual(Array.from(new Stream(5).shuffle(holes)), expected.map((value) => (value % 3 !== 0 ? value : undefined)));
});

// Catches an array that changes although it refuses all writes, and a stream that has advanced although the shuffle failed.
test("a shuffle that fails", () => {
	for (const length of [60, 200]) {
		const values = Array.from({ length }, (_, i) => i);
		const stream = new Stream(6);
		for (const source of [cprng, stream]) {
			const array = Object.freeze([...values]);
			assert.throws(() => source.shuffle(array), TypeError);
			assert.deepStrictEqual(array, values);
			assert.deepStrictEqual(source.shuffle(Object.freeze([1])), [1]);
		}
		assert.strictEqual(stream.offset, 0n);
		const end = 2n ** 64n - 1n - 100n;
		for (const array of [[...values], Uint8Array.from(values)]) {
			assert.throws(() => stream.seek(end).shuffle(array), { code: "ERR_OUT_OF_RANGE" });
			assert.deepStrictEqual(Array.from(array).sort((a, b) => a - b), values);
			assert.strictEqual(stream.offset, end);
		}
	}
});
