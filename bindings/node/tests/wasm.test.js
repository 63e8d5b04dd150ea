// SPDX-License-Identifier: BSD-2-Clause
// The package as WebAssembly, compared with the form that the other tests run: its numbers, and its traces in memory.
"use strict";
const assert = require("node:assert");
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const zlib = require("node:zlib");
const cprng = require("cprng");
const { inside, library, printed, webassembly } = require("./support.js");

const embedded = require(path.join(library, "../c/embedded.js"));
const { KINDS } = inside("kinds.js");

/** The functions over a new instance, and a view of its memory. */
function instance(fillRandom) {
	const { Instance } = WebAssembly;
	let made;
	WebAssembly.Instance = function (...given) {
		made = new Instance(...given);
		return made;
	};
	try {
		const wasm = inside("wasm.js").addonOf(embedded, fillRandom, { reason: "a test" });
		wasm.message(0); // compiles the module
		return [wasm, () => Buffer.from(made.exports.memory.buffer)];
	} finally {
		WebAssembly.Instance = Instance;
	}
}

// Catches an info() without the form or its reason.
test("info says which form it is", () => {
	const about = `const { form, reason, engine } = require("cprng").info(); console.log(JSON.stringify([form, reason !== "", engine]))`;
	const [form, hasReason] = printed(about);
	assert.deepStrictEqual([form, hasReason], webassembly ? ["webassembly", true] : ["addon", false]);
	const forced = printed(`process.env.CPRNG_NODE_FORM = "webassembly"; ${about}`);
	assert.deepStrictEqual(forced, ["webassembly", true, "node:crypto"]);
	assert.strictEqual(cprng.info().form, form);
});

// Catches pieces of an array that overlap or leave a gap in one form.
test("both forms give the same numbers", () => {
	const program = `const { Stream } = require("cprng");
		const { createHash } = require("node:crypto");
		const hash = createHash("sha256");
		const stream = new Stream(new Uint8Array(200001).fill(7), { engine: "chacha20" });
		hash.update(stream.randomBytes(3)).update(stream.randomBytes(200001));
		for (const [fill, Type] of Object.entries({ fillUint32: Uint32Array, fillUint64: BigUint64Array, fillFloat: Float32Array,
			fillDouble: Float64Array, fillNormal: Float64Array, fillExponential: Float64Array }))
			hash.update(stream[fill](new Type(50001)));
		hash.update(stream.sample(20001, 2 ** 40).join()).update(stream.fillIntegers(new Int32Array(999), -7, 2 ** 31)).update(stream.checkpoint());
		console.log(JSON.stringify(hash.digest("hex")));`;
	assert.strictEqual(printed(program), printed(`process.env.CPRNG_NODE_FORM = "webassembly"; ${program}`));
});

// The result does not depend on the package's form: run these tests once.
const here = { skip: !webassembly && "where the package runs as WebAssembly" };

// Catches keys, seeds and numbers that stay in C's memory after a call, even a failed one.
test("a call leaves nothing in C's memory", here, () => {
	const drawn = [];
	const [wasm, memory] = instance((bytes) => {
		drawn.push(Buffer.from(crypto.randomFillSync(bytes)));
	});
	const key = crypto.randomBytes(32);
	const stream = wasm.stream();
	assert.strictEqual(wasm.streamInit(stream, "chacha20", key, new Uint8Array(8)), 0);
	const secrets = [key, Buffer.from(stream).subarray(-512).subarray(0, 32)];
	for (const size of [100, 100000]) {
		const read = Buffer.alloc(size);
		wasm.streamRead(stream, read, 0, size);
		const numbers = new Float64Array(size);
		wasm.fillNumbers(KINDS.normal, numbers, 0, 1);
		const seed = crypto.randomBytes(size);
		assert.strictEqual(wasm.streamSeedBytes(wasm.stream(), "chacha8", seed), 0);
		assert.strictEqual(wasm.streamSeedBytes(wasm.stream(), "none", seed), -1);
		const chosen = new BigUint64Array(size);
		wasm.sample(chosen, 2n ** 63n);
		for (const array of [read, numbers, seed, chosen]) secrets.push(Buffer.from(array.buffer, array.byteOffset, 16));
	}
	wasm.streamTell(stream);
	assert.ok(drawn.length > 0);
	for (const bytes of drawn) if (bytes.length >= 16) secrets.push(bytes.subarray(0, 16));
	const left = memory();
	for (const [i, secret] of secrets.entries()) assert.ok(!secret.every((byte) => byte === 0) && !left.includes(secret), `secret ${i}`);
});

// Catches numbers that are not random if the host gives no random bytes, and failed calls that use up C's stack.
test("a failure of the host's random bytes is an error", here, () => {
	let fails = true;
	const [wasm] = instance((bytes) => {
		if (fails) throw new Error("no random bytes");
		crypto.randomFillSync(bytes);
	});
	const array = new Float64Array(8);
	for (const draw of [() => wasm.fill(new Uint8Array(8), 0, 8), () => wasm.strong(new Uint8Array(8), 0, 8), () => wasm.uuid(),
		() => wasm.integer(0n, 10n, false), () => wasm.fillNumbers(KINDS.normal, array, 0, 1), () => wasm.refill(wasm.block(), KINDS.uint32)])
		assert.throws(draw, /no random bytes/);
	assert.ok(array.every((number) => number === 0));
	// C's stack: such a call does not return from C's functions.
	for (let i = 0; i < 100000; i++) assert.throws(() => wasm.normal(), /no random bytes/);
	fails = false;
	assert.strictEqual(wasm.fillNumbers(KINDS.normal, array, 0, 1), 0);
	assert.ok(array.every((number) => number !== 0));
});

// Catches a page that counts as full after the host's random bytes failed.
test("a page that was not filled serves nothing", () => {
	const [wasm] = instance(() => {
		throw new Error("no random bytes");
	});
	const { word } = inside("block.js").wordsOf(wasm);
	for (let i = 0; i < 3; i++) assert.throws(word, /no random bytes/);
});

// Catches draws of secrets that wait for the library's compilation, or fail where a page's policy forbids it.
test("secrets need no WebAssembly", () => {
	const program = `process.env.CPRNG_NODE_FORM = "webassembly";
		const { Module } = WebAssembly;
		WebAssembly.Module = function () { throw new Error("compiled"); };
		const cprng = require("cprng");
		cprng.getRandomValues(new Uint8Array(8));
		cprng.invalidate();
		const found = [cprng.randomUUID().length, cprng.randomBytes(3).length, cprng.strongBytes(4).length, cprng.randomInt(1), cprng.random() < 1,
			cprng.shuffle([1]).length, cprng.info().form, cprng.version];
		for (const call of [() => cprng.normal(), () => new cprng.Stream(1)])
			try { call(); } catch (error) { found.push(error.code, /wasm-unsafe-eval/.test(error.message), error.cause.message); }
		WebAssembly.Module = Module;
		console.log(JSON.stringify([...found, new cprng.Stream(42).normal(170, 10).toFixed(2)]));`;
	assert.deepStrictEqual(printed(program), [36, 3, 4, 0, true, 1, "webassembly", cprng.version, "ERR_CPRNG", true, "compiled",
		"ERR_CPRNG", true, "compiled", "159.13"]);
});

// Catches files for browsers that are larger than docs/node.md says.
test("sizes", () => {
	const size = (name) => zlib.gzipSync(fs.readFileSync(path.join(library, "../c", name))).length;
	assert.ok(size("embedded.js") <= 50 * 1024);
	assert.ok(size("browser.js") <= 16 * 1024);
	assert.ok(size("browser.mjs") <= 64 * 1024);
	assert.ok(size("workerd.mjs") <= 16 * 1024);
	assert.ok(size("cprng.wasm") <= 50 * 1024);
});
