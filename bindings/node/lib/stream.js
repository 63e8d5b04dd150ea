// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const { inspect, types } = require("node:util");
const addon = require("./addon.js");
const arrays = require("./arrays.js");
const choices = require("./choices.js");
const { KINDS } = require("./kinds.js");
const { scaled, TWO_21 } = require("./numbers.js");
const { checkedSize, pieceOf, MOST_BYTES } = require("./draws.js");
const { coded, wrongType, wrongValue, outOfRange, checkBig, checkFinite, bytesOf } = require("./errors.js");

// The layout in <cprng/stream.h>: the buffer's offset and size, and the places of the halves of `next` in words of 4 bytes.
// `next` is minus the number of unused bytes, which are at the buffer's end.
const [BUFFER, SIZE, LOW, HIGH] = addon.streamLayout().split("\n").map(Number);

const DEFAULT_ENGINE = "chacha8";
const CHECKPOINT_SIZE = 128;
const MOST_INDEX = 2n ** 64n - 1n;
// The values of enum cprng_error with which C refuses a seed.
const [ARGUMENT, SEED_SIZE] = [-7, -9];
const NO_BYTES = new Uint8Array(0);
const NOT_SEEDED = Symbol("not seeded");

function engineOf(options) {
	if (typeof options !== "object" || options === null) throw wrongType("options", "of type object", options);
	const { engine = DEFAULT_ENGINE } = options;
	if (typeof engine !== "string") throw wrongType("options.engine", "of type string", engine);
	return engine;
}

/** The absolute value of a BigInt, the lowest byte first. */
function magnitudeOf(big) {
	const words = [];
	for (let rest = big < 0n ? -big : big; rest > 0n; rest >>= 64n) words.push(BigInt.asUintN(64, rest));
	const view = new DataView(new ArrayBuffer(8 * words.length));
	words.forEach((word, i) => view.setBigUint64(8 * i, word, true));
	return new Uint8Array(view.buffer);
}

/** A copy: C would read inconsistent data if another thread wrote at once. */
function copied(name, value) {
	const bytes = bytesOf(name, value);
	return bytes.slice(0, bytes.length);
}

class Stream {
	// structuredClone and postMessage do not see private state; they refuse an object with a function, and show its text.
	notCloned = () => "a Stream is not cloned: send its checkpoint()";
	#bytes; // the C object; outside code can neither reach nor detach it
	#head;
	#data;
	#next = () => this.uint32();
	// C takes the rejected word again, so that it takes nothing if the stream ends within the number.
	#again = (count) => addon.streamUniform(this.advance(-4).#bytes, count);
	#shuffle = addon.streamShuffle && ((array) => arrays.check(addon, addon.streamShuffle(this.#bytes, array)));

	constructor(seed, options = {}) {
		this.#bytes = addon.stream();
		this.#head = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length / 4);
		this.#data = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + BUFFER, SIZE);
		if (seed === NOT_SEEDED) return;
		const engine = engineOf(options);
		const status = this.#seed(seed, engine);
		if (status === SEED_SIZE || status === ARGUMENT)
			throw typeof seed === "string" ? wrongValue("seed", "a string that is not empty and has no NUL", seed) : outOfRange("seed", "of 16 bytes or more", seed);
		arrays.check(addon, status, engine);
	}

	/** Returns C's status. */
	#seed(seed, engine) {
		if (typeof seed === "string") {
			// UTF-8 would replace all of these by the same character.
			if (/\p{Surrogate}/u.test(seed)) throw wrongValue("seed", "a string without lone surrogates", seed);
			return addon.streamSeedText(this.#bytes, engine, Buffer.from(seed));
		}
		if (typeof seed === "number" || typeof seed === "bigint") {
			const big = checkBig("seed", seed, -Infinity, Infinity);
			return addon.streamSeedNumber(this.#bytes, engine, magnitudeOf(big), Number(big < 0n));
		}
		if (!ArrayBuffer.isView(seed) && !types.isAnyArrayBuffer(seed))
			throw wrongType("seed", "of type number, bigint or string, or 16 bytes or more", seed);
		return addon.streamSeedBytes(this.#bytes, engine, copied("seed", seed));
	}

	static fromKey(key, options = {}) {
		const engine = engineOf(options);
		const stream = new Stream(NOT_SEEDED);
		const nonce = options.nonce === undefined ? NO_BYTES : copied("options.nonce", options.nonce);
		arrays.check(addon, addon.streamInit(stream.#bytes, engine, copied("key", key), nonce), engine);
		return stream;
	}

	static fromCheckpoint(checkpoint) {
		const bytes = copied("checkpoint", checkpoint);
		const stream = new Stream(NOT_SEEDED);
		arrays.check(addon, addon.streamRestore(stream.#bytes, bytes), bytes);
		return stream;
	}

	checkpoint() {
		const bytes = Buffer.alloc(CHECKPOINT_SIZE);
		arrays.check(addon, addon.streamSave(this.#bytes, bytes));
		return bytes;
	}

	/** Otherwise JSON.stringify would write {}. */
	toJSON() {
		throw coded(TypeError, "ERR_CPRNG", "A Stream has no JSON: store its checkpoint(), and continue by Stream.fromCheckpoint()");
	}

	clone() {
		return Stream.fromCheckpoint(this.checkpoint());
	}

	child(index) {
		const child = new Stream(NOT_SEEDED);
		arrays.check(addon, addon.streamChild(this.#bytes, checkBig("index", index, 0n, MOST_INDEX), child.#bytes));
		return child;
	}

	wipe() {
		if (this.#bytes.length !== 0) addon.streamWipe(this.#bytes);
		// The next draw finds an empty buffer and no C object.
		this.#bytes = NO_BYTES;
	}

	[inspect.custom]() {
		if (!(#bytes in this)) return "Stream {}";
		return `Stream { ${this.#bytes === NO_BYTES ? "wiped" : `offset ${this.offset}`} }`;
	}

	get offset() {
		return addon.streamTell(this.#bytes);
	}

	seek(offset) {
		arrays.check(addon, addon.streamSeek(this.#bytes, checkBig("offset", offset, 0n, MOST_INDEX)));
		return this;
	}

	advance(bytes) {
		arrays.check(addon, addon.streamAdvance(this.#bytes, checkBig("bytes", bytes, -(2n ** 63n), 2n ** 63n - 1n)));
		return this;
	}

	randomBytes(size) {
		const length = checkedSize("size", size, MOST_BYTES);
		const bytes = Buffer.allocUnsafeSlow(length);
		arrays.check(addon, addon.streamRead(this.#bytes, bytes, 0, length));
		return bytes;
	}

	randomFillSync(buffer, offset = 0, size = undefined) {
		const bytes = bytesOf("buf", buffer);
		arrays.check(addon, addon.streamRead(this.#bytes, bytes, ...pieceOf(buffer, offset, size)));
		return buffer;
	}

	/** Takes the next bytes and returns their position in the buffer, or -1 if the buffer has fewer. */
	#take(bytes) {
		const head = this.#head;
		const next = head[LOW];
		if (next > -bytes) return -1;
		head[LOW] = next + bytes;
		// The high half was -1.
		if (next === -bytes) head[HIGH] = 0;
		return SIZE + next;
	}

	uint8() {
		const at = this.#take(1);
		return at < 0 ? Number(addon.streamNumber(this.#bytes, 1)) : this.#data.getUint8(at);
	}

	uint16() {
		const at = this.#take(2);
		return at < 0 ? Number(addon.streamNumber(this.#bytes, 2)) : this.#data.getUint16(at, true);
	}

	uint32() {
		const at = this.#take(4);
		return at < 0 ? Number(addon.streamNumber(this.#bytes, 4)) : this.#data.getUint32(at, true);
	}

	uint64() {
		const at = this.#take(8);
		return at < 0 ? addon.streamNumber(this.#bytes, 8) : this.#data.getBigUint64(at, true);
	}

	boolean() {
		return (this.uint8() & 1) === 1;
	}

	float() {
		return (this.uint32() >>> 8) / 16777216;
	}

	random() {
		const at = this.#take(8);
		if (at < 0) return addon.streamDouble(this.#bytes);
		const low = this.#data.getUint32(at, true);
		return (this.#data.getUint32(at + 4, true) * 2097152 + (low >>> 11)) / 9007199254740992;
	}

	/** As cprng_stream_uniform64(), for a count in [1, 2^53]. */
	#below(count) {
		if (count > TWO_21) return addon.streamUniform(this.#bytes, count);
		return scaled(this.#next, count, this.#again);
	}

	randomInt(min, max) {
		if (max === undefined) [min, max] = [0, min];
		return min + this.#below(arrays.rangeOf(min, max));
	}

	randomBigInt(min, max) {
		return arrays.bigBy((first, count) => addon.streamInteger(this.#bytes, first, count), min, max);
	}

	/** Restores the offset if the stream ends within draw(). */
	#whole(draw) {
		const offset = addon.streamTell(this.#bytes);
		try {
			return draw();
		} catch (error) {
			addon.streamSeek(this.#bytes, offset);
			throw error;
		}
	}

	bernoulli(p, denominator) {
		if (denominator !== undefined) {
			choices.checkRatio(p, denominator);
			return (typeof p === "bigint" ? addon.streamInteger(this.#bytes, 0n, denominator) : this.#below(denominator)) < p;
		}
		choices.checkProbability(p);
		let taken = 0;
		try {
			return choices.bernoulliBy(p, () => {
				const at = this.#take(8);
				const whole = at < 0 ? addon.streamNumber(this.#bytes, 8) : 0n;
				taken += 8;
				if (at < 0) return [Number(whole >> 32n), Number(whole & 0xffffffffn)];
				return [this.#data.getUint32(at + 4, true), this.#data.getUint32(at, true)];
			});
		} catch (error) {
			if (taken > 0) this.advance(-taken);
			throw error;
		}
	}

	choose(weighted) {
		return choices.chooseBy(weighted, (bound) => this.#below(bound), (bound) => addon.streamInteger(this.#bytes, 0n, bound));
	}

	/** An integer below a count of at most 256, by Lemire's method with bytes. */
	#symbol = (count) => {
		const refused = 256 % count;
		for (;;) {
			const product = this.uint8() * count;
			if ((product & 255) >= refused) return product >> 8;
		}
	};

	text(length, alphabet) {
		const symbols = choices.symbolsOf(alphabet);
		return this.#whole(() => choices.textBy(length, symbols, this.#symbol));
	}

	randomUUID() {
		return choices.uuidOf(this.randomFillSync(new Uint8Array(16)), 4);
	}

	randomUUIDv7(milliseconds) {
		choices.checkTime(milliseconds);
		return choices.uuidOf(choices.putTime(this.randomFillSync(new Uint8Array(16), 6), milliseconds), 7);
	}

	normal(mu = 0, sigma = 1) {
		arrays.checkNormal(mu, sigma);
		return mu + sigma * addon.streamNormal(this.#bytes);
	}

	exponential(mean = 1) {
		checkFinite("mean", mean, 0);
		return mean * addon.streamExponential(this.#bytes);
	}

	#filled(kind, array, a, b) {
		arrays.checkArray(kind, array);
		arrays.check(addon, addon.streamFillNumbers(this.#bytes, kind, array, a, b));
		return array;
	}

	fillUint32(array) {
		return this.#filled(KINDS.uint32, array, 0, 0);
	}

	fillUint64(array) {
		return this.#filled(KINDS.uint64, array, 0, 0);
	}

	fillFloat(array) {
		return this.#filled(KINDS.float, array, 0, 0);
	}

	fillDouble(array) {
		return this.#filled(KINDS.double, array, 0, 0);
	}

	fillNormal(array, mu = 0, sigma = 1) {
		arrays.checkNormal(mu, sigma);
		return this.#filled(KINDS.normal, array, mu, sigma);
	}

	fillExponential(array, mean = 1) {
		checkFinite("mean", mean, 0);
		return this.#filled(KINDS.exponential, array, mean, 0);
	}

	fillIntegers(array, min, max) {
		const [first, count] = arrays.integersOf(array, min, max);
		arrays.check(addon, addon.streamFillIntegers(this.#bytes, array, first, count));
		return array;
	}

	sample(k, n) {
		return arrays.sampleBy(addon, (array, count) => addon.streamSample(this.#bytes, array, count), k, n);
	}

	shuffle(array) {
		return this.#whole(() => arrays.shuffleBy((count) => this.#below(count), this.#shuffle, array));
	}
}

module.exports = { Stream };
