// SPDX-License-Identifier: BSD-2-Clause
// Packages that accept a generator, used with this one.
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const cprng = require("cprng");

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
