// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const assert = require("node:assert");
const crypto = require("node:crypto");
const { test } = require("node:test");
const { inspect } = require("node:util");
const cprng = require("cprng");

const { Stream, Weighted } = cprng;

function thrown(call) {
	try {
		call();
	} catch (error) {
		return error;
	}
	return undefined;
}

const nothing = () => {};
const shown = (value) => inspect(value, { depth: 1 });

/** Which bytes of an array are filled: a byte stays 0 in 20 fills with probability 2^-160. */
function touched(fill, offset, size) {
	const words = new Uint32Array(4);
	const filled = new Set();
	for (let i = 0; i < 20; i++) {
		fill(words, offset, size);
		new Uint8Array(words.buffer).forEach((byte, at) => byte !== 0 && filled.add(at));
	}
	return [...filled].sort((a, b) => a - b);
}

/** All lists of up to `most` values. */
function* lists(values, most) {
	yield [];
	if (most > 0) for (const value of values) for (const rest of lists(values, most - 1)) yield [value, ...rest];
}

// Catches arguments that Node's functions refuse and these accept, or the reverse; and an error with another class or code.
test("errors are those of node:crypto", () => {
	const values = [
		undefined, null, true, 0, 5, -1, 1.5, 2.7, 11, NaN, Infinity, 2 ** 31, 2 ** 53, 4n, "", "4", {}, [1], nothing, Buffer.alloc(10),
		new Uint32Array(4), { disableEntropyCache: "" }, { disableEntropyCache: 1 }, { disableEntropyCache: null },
		{ disableEntropyCache: undefined }, { disableEntropyCache: true },
	];
	let calls = 0;
	for (const [name, most] of Object.entries({ randomBytes: 2, randomFillSync: 3, randomFill: 3, randomInt: 3, randomUUID: 1 })) {
		for (const given of lists(values, most)) {
			const where = `${name}(${given.map(shown)})`;
			const [own, nodes] = [cprng[name], crypto[name]].map((call) => thrown(() => call(...given)));
			assert.strictEqual(own?.constructor, nodes?.constructor, where);
			// Node's randomFill passes a BigInt to Math.min, whose error has no code.
			if (nodes === undefined || nodes.code !== undefined) assert.strictEqual(own?.code, nodes?.code, where);
			calls++;
		}
	}
	assert.ok(calls > 3 * values.length ** 3);
	for (const given of [[2 ** 53 - 1, Number.MIN_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], [-(2 ** 53), 0]])
		assert.strictEqual(thrown(() => cprng.randomInt(...given)).code, thrown(() => crypto.randomInt(...given)).code, String(given));
	for (const [offset, size] of [[1.5, 2.2], [0.25, undefined], [2, 1.9]]) {
		const [own, nodes] = [cprng, crypto].map(({ randomFillSync }) => touched(randomFillSync, offset, size));
		assert.deepStrictEqual(own, nodes, `${offset}, ${size}`);
	}
	assert.strictEqual(cprng.randomBytes(2.7).length, crypto.randomBytes(2.7).length);
});

// Catches an error without its argument's name or with another class or code, and a stream moved by an error.
test("errors name the argument", () => {
	const stream = new Stream(1);
	const range = [RangeError, "ERR_OUT_OF_RANGE"];
	const type = [TypeError, "ERR_INVALID_ARG_TYPE"];
	const value = [TypeError, "ERR_INVALID_ARG_VALUE"];
	const lone = "a\ud800b";
	const rows = [
		[() => new Stream(), type, "seed"], [() => new Stream(null), type, "seed"], [() => new Stream([1]), type, "seed"],
		[() => new Stream(1.5), range, "seed"], [() => new Stream(2 ** 53), range, "seed"],
		[() => new Stream(""), value, "seed"], [() => new Stream("a\0b"), value, "seed"],
		[() => new Stream(lone), value, "seed"], [() => new Stream(new Uint8Array(15)), range, "seed"],
		[() => new Stream(1, { engine: "none" }), value, "engine"], [() => new Stream(1, { engine: "chacha8\0" }), value, "engine"],
		[() => new Stream(1, { engine: "" }), value, "engine"], [() => new Stream(1, { engine: "c".repeat(99) }), value, "engine"],
		[() => new Stream(1, { engine: 8 }), type, "engine"], [() => new Stream(1, null), type, "options"],
		[() => Stream.fromKey(new Uint8Array(31)), range, "key"], [() => Stream.fromKey("key"), type, "key"],
		[() => Stream.fromKey(new Uint8Array(32), { nonce: new Uint8Array(9) }), range, "nonce"],
		[() => Stream.fromKey(new Uint8Array(32), { engine: "none" }), value, "engine"],
		[() => Stream.fromCheckpoint(new Uint8Array(128)), value, "checkpoint"],
		[() => Stream.fromCheckpoint(stream.checkpoint().subarray(1)), value, "checkpoint"],
		[() => Stream.fromCheckpoint("checkpoint"), type, "checkpoint"],
		[() => stream.child(-1), range, "index"], [() => stream.child("1"), type, "index"], [() => stream.child(2n ** 64n), range, "index"],
		[() => stream.seek(-1), range, "offset"], [() => stream.seek(2n ** 64n), range, "offset"], [() => stream.advance(-1), range, "offset"],
		[() => stream.advance(0.5), range, "bytes"], [() => stream.advance(2n ** 63n), range, "bytes"],
		[() => stream.randomBytes(-1), range, "size"], [() => stream.randomInt(0), range, "max"], [() => stream.randomInt("6"), type, "max"],
		[() => stream.randomInt(-1, 2 ** 53 - 1), range, "max - min"],
		[() => stream.randomFillSync([]), type, "buf"], [() => stream.shuffle("abc"), type, "array"],
		[() => stream.randomUUIDv7(), type, "milliseconds"], [() => stream.randomUUIDv7(-1), range, "milliseconds"],
		[() => stream.randomUUIDv7(2 ** 48), range, "milliseconds"],
		[() => new Weighted(), type, "weights"], [() => new Weighted("123"), type, "weights"], [() => new Weighted(["1"]), type, "weights"],
		[() => new Weighted([1.5]), range, "weights"], [() => new Weighted([-1n, 2]), range, "weights"], [() => new Weighted([]), range, "weights"],
		[() => new Weighted([0, 0]), range, "weights"], [() => new Weighted([2n ** 62n, 2n ** 62n, 2n ** 62n]), range, "weights"],
		[() => new Weighted([2n ** 64n]), range, "weights"], [() => cprng.customAlphabet("abc")(-1), range, "length"],
		[() => cprng.customAlphabet(""), range, "alphabet"],
	];
	for (const source of [cprng, stream]) {
		rows.push(
			[() => source.normal(NaN), range, "mu"], [() => source.normal(0, -1), range, "sigma"], [() => source.normal("0"), type, "mu"],
			[() => source.normal(0, Infinity), range, "sigma"], [() => source.exponential(-1), range, "mean"],
			[() => source.bernoulli("1"), type, "p"], [() => source.bernoulli(1, 2n), type, "denominator"], [() => source.bernoulli(1n, 2), type, "denominator"],
			[() => source.bernoulli(-1, 2), range, "numerator"], [() => source.bernoulli(1, 2n ** 64n), type, "denominator"],
			[() => source.bernoulli(1, 0.5), range, "denominator"], [() => source.bernoulli(1, 0), range, "denominator"],
			[() => source.bernoulli(0n, 0n), range, "denominator"], [() => source.randomInt(0), range, "max"], [() => source.randomInt(5, 5), range, "max"],
			[() => source.randomInt(5, 4), range, "max"], [() => source.randomBigInt(5n, 5n), range, "max"], [() => source.randomBigInt(5n, 4n), range, "max"],
			[() => source.fillIntegers(new BigInt64Array(1), 5n, 5n), range, "max"], [() => source.fillIntegers(new Float64Array(1), 5, 4), range, "max"],
			[() => source.sample(1, 0), range, "k"], [() => source.bernoulli(1n, 2n ** 64n), range, "denominator"],
			[() => source.choose([1, 2]), type, "weighted"], [() => source.choose(null), type, "weighted"], [() => source.text(1), type, "alphabet"],
			[() => source.text(1, ""), range, "alphabet"], [() => source.text(1, "a".repeat(257)), range, "alphabet"],
			[() => source.text(-1, "ab"), range, "length"], [() => source.text("1", "ab"), type, "length"], [() => source.text(2 ** 29, "ab"), range, "length"],
			[() => source.exponential(NaN), range, "mean"], [() => source.fillDouble(new Float32Array(1)), type, "array"],
			[() => source.fillFloat([0]), type, "array"], [() => source.fillUint32(new Int32Array(1)), type, "array"],
			[() => source.fillUint64(new BigInt64Array(1)), type, "array"], [() => source.fillNormal(new Float64Array(1), 0, NaN), range, "sigma"],
			[() => source.fillExponential(new Float64Array(1), -1), range, "mean"],
			[() => source.fillIntegers(new Uint8Array(1), 0, 1), type, "array"],
			[() => source.fillIntegers(new Uint32Array(1), -1, 1), range, "min"],
			[() => source.fillIntegers(new Uint32Array(1), 0, 2 ** 32 + 1), range, "max"],
			[() => source.fillIntegers(new Int32Array(1), 5, 5), range, "max"],
			[() => source.fillIntegers(new BigInt64Array(1), 0, 1), type, "min"],
			[() => source.fillIntegers(new BigInt64Array(1), 0n, 2n ** 63n + 1n), range, "max"],
			[() => source.fillIntegers(new BigUint64Array(1), -1n, 1n), range, "min"],
			[() => source.randomBigInt(5), type, "max"], [() => source.randomBigInt(0n), range, "max"],
			[() => source.randomBigInt(-1n, 2n ** 63n + 1n), range, "max"], [() => source.randomBigInt(-(2n ** 63n) - 1n, 0n), range, "min"],
			[() => source.sample(3, 2), range, "k"], [() => source.sample(-1, 2), range, "k"], [() => source.sample(1, -2), range, "n"],
			[() => source.sample(1.5, 2), type, "k"], [() => source.shuffle(new Set()), type, "array"],
			[() => source.shuffle(new DataView(new ArrayBuffer(8))), type, "array"],
		);
	}
	for (const [call, [Class, code], name] of rows) {
		const error = thrown(call);
		assert.ok(error, `${call} throws nothing`);
		assert.strictEqual(error.constructor, Class, `${call}: ${error}`);
		assert.strictEqual(error.code, code, `${call}: ${error}`);
		assert.ok(error.message.includes(name), `${call}: ${error.message}`);
	}
	assert.strictEqual(stream.offset, 0n);
});

// Catches an error message that contains a secret.
test("messages do not show what was drawn", () => {
	const checkpoint = new Stream(1).checkpoint();
	checkpoint[100] ^= 1;
	for (const call of [() => Stream.fromCheckpoint(checkpoint), () => Stream.fromKey(checkpoint.subarray(0, 31))]) {
		const { message } = thrown(call);
		assert.ok(!message.includes(checkpoint.toString("hex", 20, 24)) && !/\d+, \d+/.test(message), message);
	}
});
