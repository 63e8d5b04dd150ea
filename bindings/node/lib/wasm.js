// SPDX-License-Identifier: BSD-2-Clause
// The functions of native/ over the C library as WebAssembly: its streams, and numbers from the host's random bytes.
"use strict";
const { coded } = require("./errors.js");
const { uuidOf, putTime } = require("./choices.js");
const { KINDS } = require("./kinds.js");
const { LEFT, STALE } = require("./block.js");

const ENOSYS = 52; // WASI's number
const RANGE = -4; // CPRNG_ERR_RANGE
// As in native/stream.c: the end of streams with 12-byte nonces, and the most bytes that draws with rejections need.
const END_AT = 2n ** 38n;
const triesBytes = (count) => 32n * BigInt(count) + 512n;
// By kind: the size of a number, which takes as many bytes of the stream.
const SIZES = [4, 8, 4, 8, 8, 8];
// By type of array: as in native/integers.h, and the size of an element.
const INTEGERS = { Int32Array: [0, 4], Uint32Array: [0, 4], BigInt64Array: [1, 8], BigUint64Array: [1, 8], Float64Array: [2, 8] };
const PAGE = 4096;
const ENGINE_SIZE = 32;

const unsigned = (bits) => BigInt.asUintN(64, bits);
const signed = (bits) => BigInt.asIntN(64, bits);

const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const [bufferOf, offsetOf, lengthOf, typeOf] = ["buffer", "byteOffset", "byteLength", Symbol.toStringTag]
	.map((name) => Object.getOwnPropertyDescriptor(TypedArray, name).get);

/** An array's bytes, whatever its class says; none if it is detached. */
function bytesIn(array) {
	const length = lengthOf.call(array);
	return length === 0 ? new Uint8Array(0) : new Uint8Array(bufferOf.call(array), offsetOf.call(array), length);
}

/** The part of an array to fill.  The array may be detached or smaller by now. */
function pieceOf(array, from, size) {
	const bytes = bytesIn(array);
	if (from > bytes.length || size > bytes.length - from)
		throw coded(RangeError, "ERR_OUT_OF_RANGE", "The buffer is detached, or smaller than it was");
	return bytes.subarray(from, from + size);
}

/** The functions that call the C library, which is instantiated here; addonOf has the others. */
function overLibrary({ hex, layout }, fillRandom) {
	const code = new Uint8Array(hex.length / 2);
	for (let i = 0; i < code.length; i++) code[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
	// Compiled synchronously.  In its main thread Chrome refuses this for modules of more than 8 MiB.
	const module = new WebAssembly.Module(code);
	// The clock and the fatal error message are not needed: a trap ends the call.
	const wasi = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => ENOSYS]));
	wasi.random_get = (at, size) => {
		try {
			fillRandom(memory().subarray(at, at + size));
		} catch (error) {
			// The exception skips the ends of C's functions: erase and release their stack.
			memory().fill(0, c.__stack_pointer.value, top);
			c.__stack_pointer.value = top;
			throw error;
		}
		return 0;
	};
	const { exports: c } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
	let bytes = new Uint8Array(0);

	/** C's memory.  Its buffer is replaced when it grows. */
	function memory() {
		if (bytes.buffer !== c.memory.buffer) bytes = new Uint8Array(c.memory.buffer);
		return bytes;
	}

	const top = c.__stack_pointer.value;
	c._initialize();
	const [STREAM_SIZE, , , , STREAM, SCRATCH, SCRATCH_SIZE] = layout;
	const OTHER = STREAM + STREAM_SIZE;

	/** Lend memory of C for one call, and erase it afterwards. */
	function borrow(size, use) {
		const at = size <= SCRATCH_SIZE ? SCRATCH : c.malloc(size) >>> 0;
		if (at === 0) throw coded(RangeError, "ERR_OUT_OF_RANGE", `WebAssembly has no memory for ${size} bytes`);
		try {
			return use(at);
		} finally {
			memory().fill(0, at, at + size);
			if (at !== SCRATCH) c.free(at);
		}
	}

	/** The same for an engine's name and arrays: use(engine, ...places).  A NUL in the name does not end it. */
	function lend(engine, arrays, use) {
		const name = /^[!-~]{1,31}$/.test(engine) ? engine : "";
		return borrow(arrays.reduce((sum, array) => sum + array.length, ENGINE_SIZE), (at) => {
			memory().set([...name, "\0"].map((char) => char.charCodeAt(0)), at);
			let end = at + ENGINE_SIZE;
			const places = arrays.map((array) => {
				memory().set(array, end);
				end += array.length;
				return end - array.length;
			});
			return use(at, ...places);
		});
	}

	/** Fill an array of bytes in pieces: make(place, bytes) returns a status. */
	function fillBy(array, make) {
		for (let at = 0; at < array.length; at += SCRATCH_SIZE) {
			const size = Math.min(SCRATCH_SIZE, array.length - at);
			const status = borrow(size, (place) => {
				const made = make(place, size);
				if (made === 0) array.set(memory().subarray(place, place + size), at);
				return made;
			});
			if (status !== 0) return status;
		}
		return 0;
	}

	/** Copy the stream from its JavaScript array to C's memory for one call. */
	function withStream(stream, use) {
		if (stream.length === 0) throw coded(Error, "ERR_INVALID_STATE", "The stream was wiped");
		memory().set(stream, STREAM);
		try {
			return use(STREAM);
		} finally {
			stream.set(memory().subarray(STREAM, STREAM + STREAM_SIZE));
			memory().fill(0, STREAM, STREAM + STREAM_SIZE);
		}
	}

	/** Whether the stream in C's memory has this many bytes left. */
	function has(size) {
		const at = unsigned(c.cprng_stream_tell(STREAM));
		const end = at + size;
		if (end >= 2n ** 64n) return false;
		if (at > END_AT || end <= END_AT) return true;
		memory().copyWithin(OTHER, STREAM, STREAM + STREAM_SIZE);
		const status = c.cprng_stream_seek(OTHER, end);
		c.cprng_stream_wipe(OTHER);
		return status === 0;
	}

	const ended = () => coded(RangeError, "ERR_OUT_OF_RANGE", "The stream ends before the last byte of the number");

	/** A number, if the stream has enough bytes for it. */
	function drawn(stream, size, draw) {
		return withStream(stream, (s) => {
			if (!has(size)) throw ended();
			return draw(s);
		});
	}

	/** As below() in native/stream.c, for a nonzero bound. */
	const below = (s, bound) => borrow(8, (at) => {
		if (c.cprng_stream_sample(s, at, 1, bound) !== 0) throw ended();
		return new DataView(c.memory.buffer).getBigUint64(at, true);
	});

	/** As has_numbers() there, for the stream in C's memory. */
	function hasNumbers(bound, count) {
		if (bound === 0n || has(triesBytes(count))) return has(bound === 0n ? 8n * BigInt(count) : 0n);
		memory().copyWithin(OTHER, STREAM, STREAM + STREAM_SIZE);
		try {
			for (let i = 0; i < count; i++) below(OTHER, bound);
		} catch {
			return false;
		} finally {
			c.cprng_stream_wipe(OTHER);
		}
		return true;
	}
	const text = (at) => String.fromCharCode(...memory().subarray(at, memory().indexOf(0, at)));

	// By kind.
	const fills = [
		(at, n) => c.cprng_fill_u32(at, n), (at, n) => c.cprng_fill_u64(at, n), (at, n) => c.cprng_fill_float(at, n),
		(at, n) => c.cprng_fill_double(at, n), (at, n, a, b) => c.cprng_fill_normal(at, n, a, b),
		(at, n, a) => c.cprng_fill_exponential(at, n, a),
	];
	const streamFills = [
		(s, at, n) => c.cprng_stream_fill_u32(s, at, n), (s, at, n) => c.cprng_stream_fill_u64(s, at, n),
		(s, at, n) => c.cprng_stream_fill_float(s, at, n), (s, at, n) => c.cprng_stream_fill_double(s, at, n),
		(s, at, n, a, b) => c.cprng_stream_fill_normal(s, at, n, a, b), (s, at, n, a) => c.cprng_stream_fill_exponential(s, at, n, a),
	];
	const numbers = {
		1: (s) => c.cprng_stream_u8(s), 2: (s) => c.cprng_stream_u16(s), 4: (s) => c.cprng_stream_u32(s) >>> 0,
		8: (s) => unsigned(c.cprng_stream_u64(s)),
	};

	/** Integers of a range, by the function that the addon has; the stream 0 means draws. */
	function fillIntegers(s, array, first, count) {
		const [type, size] = INTEGERS[typeOf.call(array)];
		fillBy(bytesIn(array), (at, length) => c.cprng_node_integers(s, type, at, length / size, first, count));
		return array;
	}

	/** A sample, by draw(place). */
	const sampleBy = (array, draw) => borrow(array.byteLength, (at) => {
		const status = draw(at);
		if (status === 0 && typeOf.call(array) === "Float64Array") c.cprng_node_doubles(at, array.length, 0n);
		bytesIn(array).set(memory().subarray(at, at + array.byteLength));
		return status;
	});

	const fillNumbers = (kind, array, a, b) => fillBy(bytesIn(array), (at, size) => fills[kind](at, size / SIZES[kind], a, b));

	const randomInteger = (first, count) => first + (count === 0n ? c.cprng_fast64() : c.cprng_uniform64(count));
	const asBig = (bits, isSigned) => (isSigned ? signed : unsigned)(bits);

	return {
		fillNumbers,
		word: () => c.cprng_fast32() >>> 0,
		normal: () => c.cprng_normal(0, 1),
		exponential: () => c.cprng_exponential(1),
		integer: (first, count, isSigned) => asBig(randomInteger(first, count), isSigned),
		fillIntegers: (array, first, count) => fillIntegers(0, array, first, count),
		sample: (array, n) => sampleBy(array, (at) => c.cprng_sample(at, array.length, n)),
		message: (status) => text(c.cprng_strerror(status)),

		streamSeedInteger: (stream, engine, seed) =>
			lend(engine, [], (name) => withStream(stream, (s) => c.cprng_stream_seed_integer(s, name, seed))),
		streamSeedString: (stream, engine, seed) =>
			lend(engine, [seed], (name, at) => withStream(stream, (s) => c.cprng_stream_seed_string(s, name, at))),
		streamSeedBytes: (stream, engine, seed) =>
			lend(engine, [seed], (name, at) => withStream(stream, (s) => c.cprng_stream_seed_bytes(s, name, at, seed.length))),
		streamInit: (stream, engine, key, nonce) => lend(engine, [key, nonce], (name, at, then) => withStream(stream, (s) =>
			c.cprng_stream_init(s, name, at, key.length, nonce.length === 0 ? 0 : then, nonce.length))),
		streamSpawn: (stream, index, child) => withStream(stream, (s) => {
			const status = c.cprng_stream_child(s, index, OTHER);
			child.set(memory().subarray(OTHER, OTHER + STREAM_SIZE));
			c.cprng_stream_wipe(OTHER);
			return status;
		}),
		streamWipe: (stream) => withStream(stream, (s) => c.cprng_stream_wipe(s)),
		streamRead: (stream, array, from, size) => withStream(stream, (s) => {
			const piece = pieceOf(array, from, size);
			return has(BigInt(size)) ? fillBy(piece, (at, length) => c.cprng_stream_read(s, at, length)) : RANGE;
		}),
		streamSeek: (stream, offset) => withStream(stream, (s) => c.cprng_stream_seek(s, offset)),
		streamAdvance: (stream, by) => withStream(stream, (s) => c.cprng_stream_advance(s, by)),
		streamTell: (stream) => withStream(stream, (s) => unsigned(c.cprng_stream_tell(s))),
		streamSave: (stream, saved) => withStream(stream, (s) => fillBy(saved, (at, size) => c.cprng_stream_save(s, at, size))),
		streamRestore: (stream, saved) => lend("", [saved], (name, at) => withStream(stream, (s) => c.cprng_stream_restore(s, at, saved.length))),
		streamNumber: (stream, size) => drawn(stream, BigInt(size), numbers[size]),
		streamDouble: (stream) => drawn(stream, 8n, (s) => c.cprng_stream_double(s)),
		streamUniform: (stream, bound) => withStream(stream, (s) => Number(below(s, BigInt(bound)))),
		streamInteger: (stream, first, count, isSigned) => drawn(stream, count === 0n ? 8n : 0n, (s) =>
			asBig(first + (count === 0n ? c.cprng_stream_u64(s) : below(s, count)), isSigned)),
		streamFillIntegers: (stream, array, first, count) => withStream(stream, (s) => {
			if (!hasNumbers(count, array.length)) throw ended();
			return fillIntegers(s, array, first, count);
		}),
		streamNormal: (stream) => drawn(stream, 8n, (s) => c.cprng_stream_normal(s, 0, 1)),
		streamExponential: (stream) => drawn(stream, 8n, (s) => c.cprng_stream_exponential(s, 1)),
		streamFillNumbers: (stream, kind, array, a, b) => withStream(stream, (s) => {
			const filled = bytesIn(array);
			return has(BigInt(filled.length)) ? fillBy(filled, (at, size) => streamFills[kind](s, at, size / SIZES[kind], a, b)) : RANGE;
		}),
		streamSample: (stream, array, n) => withStream(stream, (s) => sampleBy(array, (at) => c.cprng_stream_sample(s, at, array.length, n))),
	};
}

/**
 * The addon's functions over c/embedded.js.  fillRandom(Uint8Array) gives the host's secrets; `about` is for info().  Functions that
 * need only secrets do not use the C library.  The first call of another function compiles it.
 */
function addonOf(embedded, fillRandom, about) {
	if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw coded(Error, "ERR_CPRNG", "cprng: on a big-endian machine only the addon works");
	const [STREAM_SIZE, BUFFER, BUFFER_SIZE, NEXT] = embedded.layout;

	function fill(array, from, size) {
		fillRandom(pieceOf(array, from, size));
		return array;
	}

	function uuid() {
		const random = new Uint8Array(16);
		fillRandom(random);
		return uuidOf(random, 4);
	}

	// The last UUID's milliseconds, and its counter of 12 bits.
	let [time, counter] = [0, 0];

	/** As cprng_uuid7(3): each one is greater than those before it. */
	function uuid7() {
		const random = new Uint8Array(16);
		fillRandom(random);
		const start = ((random[6] & 7) << 8) | random[7];
		const now = Date.now();
		if (now > time) [time, counter] = [now, start];
		else if (counter < 4095) counter++;
		else [time, counter] = [time + 1, start];
		random[6] = counter >> 8;
		random[7] = counter & 255;
		return uuidOf(putTime(random, time), 7);
	}

	// This thread's pages.
	const pages = new Set();

	function block() {
		const words = new Uint32Array(PAGE / 4);
		pages.add(new WeakRef(words));
		return words;
	}

	function refill(words, kind) {
		const array = new (kind === KINDS.uint32 ? Uint32Array : Float64Array)(words.buffer, 8);
		words[STALE] = 0;
		if (kind === KINDS.uint32) fillRandom(bytesIn(array));
		else addon.fillNumbers(kind, array, kind === KINDS.normal ? 0 : 1, 1);
		words[LEFT] = array.length;
		return words;
	}

	function invalidate() {
		for (const page of pages) {
			const words = page.deref();
			if (words) words[STALE] = 1;
			else pages.delete(page);
		}
		return 0;
	}

	const addon = {
		fill, strong: fill, uuid, uuid7, block, refill, invalidate, reseed: invalidate,
		// The functions below() draw as fast here as C's, which would have to copy the array.
		shuffle: null, streamShuffle: null,
		version: () => embedded.version,
		info: () => ({
			form: "webassembly", backend: "webassembly", placement: "unbuffered", forkGuard: "unbuffered", memoryLock: "none", blockLock: "none",
			...about,
		}),
		stream: () => new Uint8Array(STREAM_SIZE),
		streamLayout: () => [BUFFER, BUFFER_SIZE, NEXT / 4, NEXT / 4],
	};
	/** Adds all missing functions when the first one is requested, and removes itself. */
	const first = {
		get(_, name) {
			Object.setPrototypeOf(Object.assign(addon, overLibrary(embedded, fillRandom)), null);
			return addon[name];
		},
	};
	return Object.setPrototypeOf(addon, new Proxy({}, first));
}

module.exports = { addonOf };
