// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const assert = require("node:assert");
const crypto = require("node:crypto");
const { test } = require("node:test");
const { promisify } = require("node:util");
const { setImmediate: turn } = require("node:timers/promises");
const { Worker } = require("node:worker_threads");
const cprng = require("cprng");
const { inside, webassembly } = require("./support.js");

const { Stream } = cprng;
const addon = inside("addon.js");
const MIB = 2 ** 20;

/** Whether fill(bytes) writes all bytes in [from, to) and no others: a written byte stays the same with probability 2^-160. */
function assertFills(size, from, to, fill) {
	const low = new Uint8Array(size).fill(255);
	const high = new Uint8Array(size);
	for (let turns = 0; turns < 20; turns++) {
		const bytes = fill();
		for (let i = 0; i < size; i++) {
			low[i] &= bytes[i];
			high[i] |= bytes[i];
		}
	}
	for (let i = 0; i < size; i++) assert.strictEqual(low[i] !== high[i], i >= from && i < to, `byte ${i} of ${size}`);
}

// Catches a request that leaves a byte unwritten, at sizes near those of buffers.
test("randomBytes writes all bytes", () => {
	for (const size of [0, 1, 7, 31, 32, 63, 64, 65, 512, 513, 4096, 70000]) {
		assertFills(size, 0, size, () => cprng.randomBytes(size));
		assertFills(size, 0, size, () => cprng.strongBytes(size));
	}
});

// Catches a key in the pool that other buffers of the program share, where .buffer would expose it.
test("randomBytes has memory of its own, as Node's", () => {
	for (const size of [4, 32, 5000]) {
		for (const bytes of [cprng.randomBytes(size), cprng.strongBytes(size), new cprng.Stream(1).randomBytes(size)]) {
			assert.ok(Buffer.isBuffer(bytes));
			assert.strictEqual(bytes.buffer.byteLength, size);
		}
	}
});

const VIEWS = [
	Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
	BigInt64Array, BigUint64Array,
];

// Catches offsets that count bytes where Node counts elements, and a write outside the part.
test("randomFillSync fills the piece that it is asked for", () => {
	for (const View of VIEWS) {
		const element = View.BYTES_PER_ELEMENT;
		const pieces = [[[], 0, 10], [[3], 3, 10], [[3, 4], 3, 7], [[10], 10, 10], [[0, 0], 0, 0]];
		for (const [given, from, to] of pieces) {
			assertFills(14 * element, (2 + from) * element, (2 + to) * element, () => {
				const whole = new Uint8Array(14 * element);
				const view = new View(whole.buffer, 2 * element, 10);
				assert.strictEqual(cprng.randomFillSync(view, ...given), view);
				return whole;
			});
		}
	}
	assertFills(12, 5, 9, () => {
		const whole = new Uint8Array(12);
		cprng.randomFillSync(new DataView(whole.buffer, 4, 6), 1, 4);
		return whole;
	});
});

// Catches shared or resizable memory that is not filled, or filled elsewhere.
test("all kinds of buffers", () => {
	for (const buffer of [new ArrayBuffer(12), new SharedArrayBuffer(12)]) {
		assertFills(12, 3, 8, () => {
			new Uint8Array(buffer).fill(0);
			assert.strictEqual(cprng.randomFillSync(buffer, 3, 5), buffer);
			return new Uint8Array(buffer);
		});
		assertFills(12, 4, 8, () => {
			new Uint8Array(buffer).fill(0);
			cprng.randomFillSync(new Uint16Array(buffer, 4, 2));
			return new Uint8Array(buffer);
		});
	}
	assertFills(16, 0, 16, () => Buffer.from(cprng.randomFillSync(Buffer.alloc(16))));
});

const resizable = { skip: ArrayBuffer.prototype.resize === undefined && "this Node has no resizable ArrayBuffer" };

// Catches a stale length after a resize.
test("resizable buffers", resizable, () => {
	const buffer = new ArrayBuffer(8, { maxByteLength: 64 });
	const tracking = new Uint8Array(buffer);
	const fixed = new Uint8Array(buffer, 4, 4);
	buffer.resize(32);
	assertFills(32, 0, 32, () => cprng.randomFillSync(tracking));
	buffer.resize(6);
	// The fixed array is out of bounds: it has no bytes now.
	cprng.randomFillSync(fixed);
	assert.throws(() => cprng.randomFillSync(fixed, 0, 4), { code: "ERR_OUT_OF_RANGE" });
	assertFills(6, 0, 6, () => cprng.randomFillSync(tracking));
	const growing = new SharedArrayBuffer(8, { maxByteLength: 64 });
	growing.grow?.(16);
	assertFills(growing.byteLength, 0, growing.byteLength, () => cprng.randomFillSync(new Uint8Array(growing)));
});

// Catches a write through a pointer to memory that now belongs to another owner.
test("detached buffers", () => {
	const bytes = new Uint8Array(16);
	structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
	assert.strictEqual(cprng.randomFillSync(bytes).length, 0);
	assert.throws(() => cprng.randomFillSync(bytes, 0, 16), { code: "ERR_OUT_OF_RANGE" });
	assert.throws(() => addon.fill(bytes, 0, 16), { code: "ERR_OUT_OF_RANGE" });
});

// Catches a write beyond an array whose class claims to be longer.
test("arrays that are wrong about their length", () => {
	class Liar extends Uint8Array {
		get byteLength() {
			return MIB;
		}
	}
	class Offset extends Uint16Array {
		get byteOffset() {
			return 2 ** 30;
		}
	}
	const liar = new Liar(16);
	assert.throws(() => cprng.randomFillSync(liar), { code: "ERR_OUT_OF_RANGE" });
	assert.throws(() => cprng.randomFillSync(liar, 0, 17), { code: "ERR_OUT_OF_RANGE" });
	assert.throws(() => cprng.getRandomValues(new Offset(4)), RangeError);
});

// Catches an addon that writes elsewhere if lib/ has a defect; WebAssembly cannot.
test("the addon checks what it writes to", { skip: webassembly }, () => {
	assert.throws(() => addon.fill(new Uint8Array(8), 2 ** 53, 8), { code: "ERR_OUT_OF_RANGE" });
	assert.throws(() => addon.fill(new Uint8Array(8), 1, 2 ** 53), { code: "ERR_OUT_OF_RANGE" });
	assert.throws(() => addon.fill(new Uint8Array(8), -1, 8), TypeError);
	assert.throws(() => addon.fill(new Float64Array(8), 0, 8), TypeError);
	assert.throws(() => addon.fill({ length: 8 }, 0, 8), TypeError);
	for (const given of [[], [0], [0, 8, 8], [0, 8, 8, 8, 8, 8, 8]]) assert.throws(() => addon.fill(new Uint8Array(8), ...given), TypeError);
	for (const kind of [3, 99]) assert.notStrictEqual(addon.fillNumbers(kind, new Uint8Array(8), 0, 0), 0);
	for (const type of [Uint8Array, Float32Array]) assert.notStrictEqual(addon.fillIntegers(new type(8), 0n, 1n), 0);
	assert.notStrictEqual(addon.sample(new Uint32Array(8), 9n), 0);
	assert.throws(() => addon.streamRead(new Stream(1), 0, 8), TypeError);
	assert.throws(() => addon.streamNumber(addon.stream(), 9), TypeError);
	assert.throws(() => addon.refill(new Uint32Array(2), 0), TypeError);
	assert.throws(() => addon.refill(new Uint32Array(8), 2), TypeError);
	assert.throws(() => addon.streamTell(new Uint8Array(1601)), TypeError);
});

// Catches a callback that is called immediately, never, or twice; and one that receives other bytes than were filled.
test("callbacks", async () => {
	for (const size of [0, 32, MIB, 3 * MIB + 5]) {
		let at = "call";
		const bytes = await new Promise((resolve, reject) => {
			cprng.randomBytes(size, (error, result) => {
				assert.strictEqual(at, "later");
				return error ? reject(error) : resolve(result);
			});
			at = "later";
		});
		assert.strictEqual(bytes.length, size);
		// Also check the last bytes of long requests: 64 zeros have probability 2^-512.
		if (size > 64) assert.ok(bytes.subarray(-64).some((byte) => byte !== 0));
	}
	assert.strictEqual((await promisify(cprng.randomBytes)(16)).length, 16);
	const fill = promisify(cprng.randomFill);
	const buffer = new Uint32Array(8);
	assert.strictEqual(await fill(buffer), buffer);
	assert.ok(buffer.some((value) => value !== 0));
	buffer.fill(0);
	await fill(buffer, 6);
	assert.ok(buffer.subarray(0, 6).every((value) => value === 0) && buffer[6] !== buffer[7]);
	buffer.fill(0);
	await fill(buffer, 2, 2);
	assert.ok(buffer[1] === 0 && buffer[4] === 0 && buffer[2] !== buffer[3]);
	assert.ok((await promisify(cprng.randomInt)(5, 7)) >= 5);
});

// Catches a long fill that blocks the event loop, or a pool thread.
test("other events have their turn during a long fill", async () => {
	const size = 16 * MIB;
	let done = false;
	const filled = promisify(cprng.randomFill)(new Uint8Array(size)).then(() => (done = true));
	let turns = 0;
	while (!done) {
		await turn();
		turns++;
	}
	await filled;
	assert.ok(turns >= 15, `${turns} turns`);
});

// Catches a fill that continues in memory that the program released: detached, or shrunk so that its pages are gone.
test("a buffer that is detached during a fill", async () => {
	const bytes = new Uint8Array(8 * MIB);
	const filled = promisify(cprng.randomFill)(bytes);
	const taken = new Uint8Array(structuredClone(bytes.buffer, { transfer: [bytes.buffer] }));
	const before = crypto.createHash("sha256").update(taken).digest("hex");
	await assert.rejects(filled, { code: "ERR_OUT_OF_RANGE" });
	assert.strictEqual(crypto.createHash("sha256").update(taken).digest("hex"), before);
});

// Catches the same if the memory is gone: a write would fault.
test("a buffer that shrinks during a fill", resizable, async () => {
	const buffer = new ArrayBuffer(8 * MIB, { maxByteLength: 8 * MIB });
	const filled = promisify(cprng.randomFill)(buffer);
	buffer.resize(100);
	await assert.rejects(filled, { code: "ERR_OUT_OF_RANGE" });
});

// Catches a fill that outlives its Worker.
test("a Worker that is terminated during a fill", async () => {
	for (let i = 0; i < 5; i++) {
		const worker = new Worker(
			`const cprng = require("cprng");
			cprng.randomFill(new Uint8Array(2 ** 28), () => {});
			require("node:worker_threads").parentPort.postMessage("begun");`,
			{ eval: true },
		);
		await new Promise((resolve) => worker.once("message", resolve));
		await worker.terminate();
	}
});

// Catches behaviour of getRandomValues that differs from the standard: types, quota, result.
test("getRandomValues follows the Web Cryptography API", () => {
	for (const View of VIEWS.filter((one) => one !== Float32Array && one !== Float64Array)) {
		const view = new View(20);
		assert.strictEqual(cprng.getRandomValues(view), view);
		assert.ok(view.some((value) => value != 0), View.name);
	}
	assert.strictEqual(cprng.getRandomValues(new Uint32Array(16384)).length, 16384);
	assert.strictEqual(cprng.getRandomValues(new Uint8Array(0)).length, 0);
	for (const [wrong, name] of [
		[new Uint8Array(65537), "QuotaExceededError"], [new BigUint64Array(8193), "QuotaExceededError"],
		[new Float32Array(4), "TypeMismatchError"], [new Float64Array(65536), "TypeMismatchError"],
		...[new DataView(new ArrayBuffer(4)), new ArrayBuffer(4), [1, 2], null, undefined, 1].map((none) => [none, "TypeMismatchError"]),
	]) {
		const same = (error) => error instanceof DOMException && error.name === name;
		assert.throws(() => cprng.getRandomValues(wrong), same, name);
		// Node's own function agrees, except that some versions return an object of another class.
		assert.throws(() => crypto.webcrypto.getRandomValues(wrong), { name });
	}
	assert.throws(() => cprng.getRandomValues(new Uint8Array(new SharedArrayBuffer(4))), TypeError);
});

// Catches requests of any kind and size that share output.
test("no output is there twice", () => {
	const seen = new Set();
	let count = 0;
	for (let i = 0; i < 20000; i++) {
		for (const text of [cprng.randomBytes(16).toString("hex"), cprng.randomUUID(), cprng.randomBytes(600).toString("hex")]) {
			seen.add(text);
			count++;
		}
	}
	assert.strictEqual(seen.size, count);
});

// Catches a malformed UUID, or one with constant random bits.
test("UUIDs", () => {
	const ones = new Array(128).fill(0);
	const count = 2000;
	for (let i = 0; i < count; i++) {
		const uuid = cprng.randomUUID(i % 2 ? undefined : { disableEntropyCache: i % 4 === 0 });
		assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		const bits = BigInt(`0x${uuid.replaceAll("-", "")}`).toString(2).padStart(128, "0");
		for (let bit = 0; bit < 128; bit++) ones[bit] += Number(bits[bit]);
	}
	const fixed = ones.map((sum, bit) => (sum === 0 || sum === count ? bit : -1)).filter((bit) => bit >= 0);
	assert.deepStrictEqual(fixed, [48, 49, 50, 51, 64, 65]);
	// Eight standard deviations.
	for (const sum of ones.filter((one) => one !== 0 && one !== count)) assert.ok(Math.abs(sum - count / 2) < 8 * Math.sqrt(count / 4));
});
