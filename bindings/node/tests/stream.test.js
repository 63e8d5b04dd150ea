// SPDX-License-Identifier: BSD-2-Clause
// Streams beyond the vectors: numbers that JavaScript takes from the buffer, compared with C's; ends, copies, errors.
"use strict";
const assert = require("node:assert");
const { createHash } = require("node:crypto");
const { inspect } = require("node:util");
const v8 = require("node:v8");
const { test } = require("node:test");
const { Stream, Weighted } = require("cprng");
const { sanitized } = require("./support.js");

const ENGINES = ["chacha20", "chacha12", "chacha8", "salsa20", "salsa20-12", "salsa20-8", "aes256-ctr", "aes128-ctr"];

// Catches a JavaScript number that differs from C's somewhere in the buffer, including its end and odd offsets.
test("single numbers are those of arrays", () => {
	for (const engine of ENGINES) {
		for (let skip = 0; skip < 9; skip++) {
			const from = () => {
				const stream = new Stream("numbers", { engine });
				for (let i = 0; i < skip; i++) stream.uint8();
				return stream;
			};
			const count = 700; // several buffers
			const singly = (draw, View) => {
				const stream = from();
				return View.from({ length: count }, () => draw(stream));
			};
			assert.deepStrictEqual(singly((s) => s.uint32(), Uint32Array), from().fillUint32(new Uint32Array(count)));
			assert.deepStrictEqual(singly((s) => s.uint64(), BigUint64Array), from().fillUint64(new BigUint64Array(count)));
			assert.deepStrictEqual(singly((s) => s.float(), Float32Array), from().fillFloat(new Float32Array(count)));
			assert.deepStrictEqual(singly((s) => s.random(), Float64Array), from().fillDouble(new Float64Array(count)));
			assert.deepStrictEqual(singly((s) => s.normal(1, 2), Float64Array), from().fillNormal(new Float64Array(count), 1, 2));
			assert.deepStrictEqual(singly((s) => s.exponential(3), Float64Array), from().fillExponential(new Float64Array(count), 3));
			assert.deepStrictEqual(Buffer.from(singly((s) => s.uint8(), Uint8Array)), from().randomBytes(count));
			const halves = from().randomBytes(2 * count);
			assert.deepStrictEqual(singly((s) => s.uint16(), Uint16Array), Uint16Array.from({ length: count }, (_, i) => halves.readUInt16LE(2 * i)));
			for (const max of [1, 2, 6, 1000, 2 ** 21 - 1, 2 ** 21, 2 ** 21 + 1, 3 * 2 ** 30, 2 ** 32, 2 ** 40 + 1]) {
				const own = singly((s) => s.randomInt(max), Float64Array);
				assert.deepStrictEqual(own, from().fillIntegers(new Float64Array(count), 0, max), `${engine}, below ${max}`);
			}
		}
	}
});

// Catches an array of integers with other numbers than single calls have, for each type and for bounds that reject many words.
test("integers of arrays are those of single calls", () => {
	for (const [View, min, max] of [
		[Int32Array, -5, 1000], [Int32Array, -(2 ** 31), 2 ** 30], [Int32Array, -(2 ** 31), 2 ** 31], [Uint32Array, 7, 8], [Uint32Array, 0, 2 ** 32],
		[Float64Array, -9, 9], [Float64Array, -(2 ** 52), 2 ** 51], [BigInt64Array, -(2n ** 63n), 2n ** 62n], [BigInt64Array, -(2n ** 63n), 2n ** 63n],
		[BigInt64Array, -1n, 5n], [BigUint64Array, 0n, 2n ** 64n], [BigUint64Array, 2n ** 63n, 2n ** 63n + 2n ** 32n], [BigUint64Array, 0n, 3n * 2n ** 62n],
	]) {
		// Above the sizes of a block of C and of a piece of WebAssembly.
		for (const count of [0, 1, 257, 20000]) {
			const [one, other] = [new Stream(3), new Stream(3)];
			const draw = typeof min === "bigint" ? () => one.randomBigInt(min, max) : () => one.randomInt(min, max);
			assert.deepStrictEqual(other.fillIntegers(new View(count), min, max), View.from({ length: count }, draw), `${View.name} ${min} to ${max}`);
			assert.strictEqual(other.offset, one.offset);
		}
	}
});

// Catches a rejection by JavaScript that C does not make, or the reverse: below 2^21 - 1, one draw in 2^11 is checked exactly.
test("rejections are those of C", () => {
	for (const max of [2 ** 21 - 1, 2 ** 20 + 1, 1500001]) {
		const [one, other] = [new Stream(3), new Stream(3)];
		const array = other.fillIntegers(new Uint32Array(200000), 0, max);
		for (const value of array) assert.strictEqual(one.randomInt(max), value);
		assert.strictEqual(one.offset, other.offset);
	}
});

// Catches an offset other than the next byte's, whichever function took the last one.
test("offsets", () => {
	const stream = new Stream(5);
	const all = stream.randomBytes(10000);
	let at = 0;
	stream.seek(0);
	for (let i = 0; i < 3000; i++) {
		const [bytes, draw] = [[1, () => stream.uint8()], [2, () => stream.uint16()], [4, () => stream.uint32()],
			[8, () => Number(stream.uint64() >> 32n)], [3, () => stream.randomBytes(3)]][(i * 7 + (i >> 3)) % 5];
		if (at + bytes > 9000) break;
		const value = draw();
		if (bytes === 1) assert.strictEqual(value, all[at]);
		if (bytes === 3) assert.deepStrictEqual(value, all.subarray(at, at + 3));
		at += bytes;
		assert.strictEqual(stream.offset, BigInt(at));
		assert.deepStrictEqual(stream.clone().randomBytes(5), all.subarray(at, at + 5));
	}
	assert.ok(at > 8000);
	assert.deepStrictEqual(stream.seek(17).advance(-7).advance(3n).randomBytes(4), all.subarray(13, 17));
	assert.strictEqual(stream.seek(2n ** 64n - 1n).offset, 2n ** 64n - 1n);
});

// Catches a stream that aborts the process at its end, as C does, and a draw that is truncated there or refused too early.
test("the end of a stream is an error", () => {
	const short = () => Stream.fromKey(new Uint8Array(32), { engine: "chacha20", nonce: new Uint8Array(12) });
	const long = () => new Stream(1);
	for (const [open, end] of [[short, 2n ** 38n], [long, 2n ** 64n - 1n]]) {
		const draws = [
			[8, (s) => s.random()], [8, (s) => s.uint64()], [4, (s) => s.uint32()], [2, (s) => s.uint16()], [1, (s) => s.uint8()],
			[4, (s) => s.float()], [1, (s) => s.boolean()], [8, (s) => s.normal()], [8, (s) => s.exponential()],
			[5, (s) => s.randomBytes(5)], [16, (s) => s.fillDouble(new Float64Array(2))], [12, (s) => s.randomFillSync(new Uint32Array(3))],
		];
		for (const [bytes, draw] of draws) {
			const stream = open().seek(end - BigInt(bytes) + 1n);
			assert.throws(() => draw(stream), { code: "ERR_OUT_OF_RANGE" }, String(draw));
			assert.strictEqual(stream.offset, end - BigInt(bytes) + 1n);
			draw(stream.advance(-1));
			assert.strictEqual(stream.offset, end);
			assert.throws(() => draw(stream), { code: "ERR_OUT_OF_RANGE" }, String(draw));
		}
		for (const [array, max] of [[new Int32Array(9), 3 * 2 ** 29], [new Uint32Array(600), 2 ** 32], [new BigInt64Array(5), 2n ** 63n]]) {
			const fill = (stream) => stream.fillIntegers(array, max - max, max);
			const stream = open().seek(end - 35n - BigInt(array.length > 9 ? 8 * 300 : 0));
			const { offset } = stream;
			assert.throws(() => fill(stream), { code: "ERR_OUT_OF_RANGE" });
			assert.strictEqual(stream.offset, offset);
			fill(stream.seek(end - 5000n));
			assert.ok(array.some((value) => value != 0));
		}
		// An array longer than a piece of WebAssembly is unchanged, and so is the stream.
		for (const [size, fill] of [[1, (s, array) => s.randomFillSync(array)], [8, (s, array) => s.fillDouble(new Float64Array(array.buffer))]]) {
			const bytes = new Uint8Array(160000);
			const stream = open().seek(end - 159999n);
			assert.throws(() => fill(stream, bytes), { code: "ERR_OUT_OF_RANGE" }, String(size));
			assert.ok(stream.offset === end - 159999n && bytes.every((byte) => byte === 0));
			fill(stream.advance(-1), bytes);
			assert.strictEqual(stream.offset, end);
		}
		// Numbers taken from the buffer also reach the end.
		const stream = open().seek(end - 4000n);
		let taken = 0;
		assert.throws(() => {
			for (;; taken++) stream.uint32();
		}, { code: "ERR_OUT_OF_RANGE" });
		assert.strictEqual(taken, 1000);
	}
	// JavaScript's method rejects the last word in one stream of 2^12.
	const [max, last] = [2 ** 20 + 1, 2n ** 64n - 5n];
	const rejects = (seed) => (BigInt(new Stream(seed).seek(last).uint32()) * BigInt(max)) % 2n ** 32n < 2n ** 32n % BigInt(max);
	let seed = 0;
	while (seed < 100000 && !rejects(seed)) seed++;
	assert.ok(rejects(seed));
	const stream = new Stream(seed).seek(last);
	assert.throws(() => stream.randomInt(max), { code: "ERR_OUT_OF_RANGE" });
	assert.strictEqual(stream.offset, last);
});

// Catches a copy or child that shares memory with the stream, or depends on its offset.
test("clones, children, checkpoints", () => {
	const stream = new Stream("family");
	const child = stream.child(3).randomBytes(32);
	stream.random();
	assert.deepStrictEqual(stream.child(3n).randomBytes(32), child);
	assert.notDeepStrictEqual(stream.child(4).randomBytes(32), child);
	const clone = stream.clone();
	const next = clone.randomBytes(2000);
	assert.deepStrictEqual(stream.clone().randomBytes(2000), next);
	assert.deepStrictEqual(Stream.fromCheckpoint(stream.checkpoint().buffer).randomBytes(2000), next);
	assert.deepStrictEqual(stream.randomBytes(2000), next);
	assert.notDeepStrictEqual(new Stream(42).randomBytes(16), new Stream("42").randomBytes(16));
	assert.deepStrictEqual(new Stream(42).randomBytes(16), new Stream(42n).randomBytes(16));
	const seed = new Uint16Array(12).fill(77);
	assert.deepStrictEqual(new Stream(seed).randomBytes(16), new Stream(seed.buffer).randomBytes(16));
	assert.notDeepStrictEqual(new Stream(1, { engine: "chacha20" }).randomBytes(16), new Stream(1).randomBytes(16));
});

// Catches a wiped stream that continues, or aborts the process.
test("a stream that was wiped", () => {
	const stream = new Stream(1);
	stream.uint32();
	stream.wipe();
	stream.wipe();
	for (const draw of [() => stream.uint8(), () => stream.random(), () => stream.randomInt(6), () => stream.randomInt(2 ** 40), () => stream.normal(),
		() => stream.randomBytes(1), () => stream.offset, () => stream.child(1), () => stream.checkpoint(), () => stream.seek(0),
		() => stream.fillDouble(new Float64Array(1)), () => stream.sample(1, 2), () => stream.shuffle([1, 2]), () => stream.bernoulli(0.5), () => stream.bernoulli(1, 2), () => stream.text(1, "ab"),
		() => stream.choose(new Weighted([1, 2])), () => stream.randomUUID(), () => stream.randomUUIDv7(0)])
		assert.throws(draw, { code: "ERR_INVALID_STATE" }, String(draw));
});

// Catches a stream that does not describe itself, or that shows its key.
test("streams show themselves", () => {
	const stream = new Stream(Buffer.from("thirty-two letters, all of them.")).advance(8);
	for (const options of [{}, { showHidden: true, depth: 9 }]) assert.strictEqual(inspect(stream, options), "Stream { offset 8 }");
	stream.wipe();
	assert.strictEqual(inspect([stream]), "[ Stream { wiped } ]");
	assert.strictEqual(inspect(Object.create(Stream.prototype)), "Stream {}");
});

// Catches integer seeds that are cut, that lose their sign, or that depend on the type.
test("integers of any size are seeds", () => {
	const seeds = [0, 1, -1, 255, 256, -256, 2 ** 53 - 1, 2n ** 64n - 1n, 2n ** 64n, -(2n ** 64n), 2n ** 64n + 1n, 3n ** 5000n, 3n ** 5000n + 2n ** 7000n];
	const first = seeds.map((seed) => new Stream(seed).uint64());
	assert.strictEqual(new Set(first).size, seeds.length);
	seeds.forEach((seed, i) => assert.strictEqual(new Stream(BigInt(seed)).uint64(), first[i]));
	assert.strictEqual(new Stream(-0).uint64(), first[0]);
	// The keys of docs/streams-specification.md.
	for (const seed of [-1n, -(2n ** 64n), 2n ** 80n + 5n]) {
		const digits = (seed < 0n ? -seed : seed).toString(16);
		const bytes = Buffer.from(digits.padStart(2 * Math.ceil(digits.length / 2), "0"), "hex").reverse();
		const length = Buffer.alloc(8);
		length.writeBigUInt64LE(BigInt(bytes.length));
		const hashed = ["cprng stream key", seed < 0n ? "n" : "i", "chacha8".padEnd(16, "\0"), length, bytes];
		const key = hashed.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
		assert.deepStrictEqual(new Stream(seed).checkpoint().subarray(32, 64), key);
	}
});

// Catches a stream that JSON or a clone silently turns into {}, or whose key they reveal; and a checkpoint that they change.
test("streams are not copied", () => {
	const stream = new Stream(1).advance(9);
	assert.throws(() => JSON.stringify({ game: [stream] }), { name: "TypeError", code: "ERR_CPRNG", message: /checkpoint/ });
	for (const copy of [structuredClone, v8.serialize, (value) => new MessageChannel().port1.postMessage(value)])
		assert.throws(() => copy({ game: [stream] }), { message: /checkpoint.* could not be cloned/ }, String(copy));
	const checkpoint = stream.checkpoint();
	const next = stream.clone().uint64();
	for (const copy of [structuredClone(checkpoint), Buffer.from(JSON.parse(JSON.stringify(checkpoint)))])
		assert.strictEqual(Stream.fromCheckpoint(copy).uint64(), next);
	class Saved extends Stream {
		toJSON() {
			return this.checkpoint().toString("base64");
		}
	}
	assert.strictEqual(JSON.stringify(new Saved(1).advance(9)), `"${checkpoint.toString("base64")}"`);
});

// Catches a key that an object's properties reveal, and methods that accept another object.
test("the state is not to be seen", () => {
	const stream = new Stream(1);
	assert.deepStrictEqual(Object.entries(stream), [["notCloned", stream.notCloned]]);
	assert.throws(() => Stream.prototype.uint32.call({}), TypeError);
	assert.throws(() => Stream(1), TypeError);
	class Own extends Stream {}
	assert.strictEqual(new Own(1).uint32(), new Stream(1).uint32());
});

// Catches streams whose memory the garbage collector frees only after a turn of the event loop.
test("many streams in one turn", { skip: sanitized && "the sanitizer keeps what was freed" }, () => {
	const parent = new Stream(1);
	const before = process.memoryUsage().rss;
	for (let i = 0; i < 200000; i++) parent.child(i).uint8();
	// All streams together have 340 MB.
	assert.ok(process.memoryUsage().rss - before < 2 ** 28);
});
