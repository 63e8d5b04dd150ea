// SPDX-License-Identifier: BSD-2-Clause
// The functions of native/calls.c as WebAssembly: streams, and numbers from the host's random bytes.  Secrets do without it.
"use strict";
const { coded } = require("./errors.js");
const { uuidOf, putTime } = require("./choices.js");
const { KINDS } = require("./kinds.js");
const { LEFT, STALE } = require("./block.js");

const ENOSYS = 52; // WASI's number
const PAGE = 4096;
// In the order of Node-API's types.
const TYPES = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array",
	"Float64Array", "BigInt64Array", "BigUint64Array"];

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

/** Compiled synchronously.  In its main thread Chrome refuses this for modules of more than 8 MiB. */
function compile(hex) {
	const code = new Uint8Array(hex.length / 2);
	for (let i = 0; i < code.length; i++) code[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
	try {
		return new WebAssembly.Module(code);
	} catch (cause) {
		const message = "cprng: this function is WebAssembly, which is not allowed here: a Content-Security-Policy must have 'wasm-unsafe-eval'";
		throw Object.assign(new Error(message, { cause }), { code: "ERR_CPRNG" });
	}
}

/** The functions of native/calls.c over the C library, which is instantiated here. */
function overLibrary({ hex, layout, module = compile(hex) }, fillRandom) {
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
	let view = null;

	/** C's memory, and a view of it.  The buffer is replaced when it grows. */
	function memory() {
		if (bytes.buffer !== c.memory.buffer) [bytes, view] = [new Uint8Array(c.memory.buffer), new DataView(c.memory.buffer)];
		return bytes;
	}

	const top = c.__stack_pointer.value;
	c._initialize();
	const [STREAM_SIZE, , , , GIVEN, ENGINE, STREAMS, SCRATCH, SCRATCH_SIZE, CALLS] = layout;
	const text = (at) => String.fromCharCode(...memory().subarray(at, memory().indexOf(0, at)));

	/** The arguments of a call: the values of C, the streams, and the arrays with the places of their values. */
	function convert(letters, given) {
		const call = { values: [], streams: [], arrays: [], filled: null, size: 0 };
		const { values, streams, arrays } = call;
		let next = 0;
		for (const letter of letters) {
			const value = given[next++];
			switch (letter) {
				case "s":
					if (value.length === 0) throw coded(Error, "ERR_INVALID_STATE", "The stream was wiped");
					values.push(BigInt(STREAMS + STREAM_SIZE * (streams.push(value) - 1)));
					break;
				case "n":
					memory().fill(0, ENGINE, STREAMS);
					// A NUL does not end a name.
					if (/^[!-~]{1,31}$/.test(value)) memory().set(Array.from(value, (char) => char.charCodeAt(0)), ENGINE);
					values.push(BigInt(ENGINE));
					break;
				case "d":
					view.setFloat64(GIVEN, value, true);
					values.push(view.getBigUint64(GIVEN, true));
					break;
				case "b":
				case "w":
					values.push(BigInt(value));
					break;
				default: {
					const bytes = letter === "p" ? pieceOf(value, given[next++], given[next++]) : bytesIn(value);
					const whole = letter === "r" || letter === "x";
					const array = { letter, bytes, size: whole ? bytes.length : Math.min(bytes.length, SCRATCH_SIZE), at: values.length, place: 0 };
					if (!whole) call.filled = array;
					arrays.push(array);
					call.size += (array.size + 7) & -8;
					values.push(0n, BigInt(array.size), BigInt(TYPES.indexOf(typeOf.call(value))));
				}
			}
		}
		return call;
	}

	/** Call C with values.  Returns its status. */
	function pass(draw, values) {
		memory();
		for (let i = 0; i < values.length; i++) view.setBigUint64(GIVEN + 8 * i, values[i], true);
		return draw(GIVEN);
	}

	/** Fill an array in pieces, each by a call.  A stream that ends in a later piece is refused before the first one is written. */
	function fillBy(draw, { values, streams, filled: { letter, bytes, size, at, place } }) {
		if (letter !== "g" && streams.length > 0 && size < bytes.length) {
			const status = pass(calls.streamAdvance.draw, [values[0], BigInt(bytes.length)]);
			if (status !== 0) return status;
			memory().set(streams[0], STREAMS);
		}
		for (let from = 0; from < bytes.length; from += size) {
			const piece = Math.min(size, bytes.length - from);
			values[at + 1] = BigInt(piece);
			const status = pass(draw, values);
			if (status !== 0) return status;
			bytes.set(memory().subarray(place, place + piece), from);
		}
		return 0;
	}

	/** Call a function of C: copy streams and arrays to its memory and, if it returns 0, what it wrote back.  Returns its status. */
	function invoke(draw, call, start) {
		const { values, streams, arrays, filled } = call;
		let place = start;
		for (const array of arrays) {
			if (array !== filled) memory().set(array.bytes, place);
			array.place = place;
			values[array.at] = BigInt(place);
			place += (array.size + 7) & -8;
		}
		for (let i = 0; i < streams.length; i++) memory().set(streams[i], STREAMS + i * STREAM_SIZE);
		const status = filled ? fillBy(draw, call) : pass(draw, values);
		if (status !== 0) return status;
		for (let i = 0; i < streams.length; i++) streams[i].set(memory().subarray(STREAMS + i * STREAM_SIZE, STREAMS + (i + 1) * STREAM_SIZE));
		for (const array of arrays) if (array.letter === "x") array.bytes.set(memory().subarray(array.place, array.place + array.size));
		return 0;
	}

	/** A function as in the addon. */
	const functionOf = ({ letters, result, draw }) => (...given) => {
		memory();
		const call = convert(letters, given);
		const at = call.size <= SCRATCH_SIZE ? SCRATCH : call.size < 2 ** 32 ? c.malloc(call.size) >>> 0 : 0;
		if (at === 0) throw coded(RangeError, "ERR_OUT_OF_RANGE", `WebAssembly has no memory for ${call.size} bytes`);
		try {
			const status = invoke(draw, call, at);
			if (result === "") return status;
			if (status !== 0) throw coded(RangeError, "ERR_OUT_OF_RANGE", "The stream ends before the last byte of the number");
			memory();
			return result === "b" ? view.getBigUint64(GIVEN, true) : result === "d" ? view.getFloat64(GIVEN, true) : text(view.getUint32(GIVEN, true));
		} finally {
			// Erase what C had.
			memory().fill(0, at, at + call.size).fill(0, GIVEN, STREAMS + call.streams.length * STREAM_SIZE);
			if (at !== SCRATCH) c.free(at);
		}
	};

	// The table: four words for each call, of which the first is its name and the last the number of its function.
	const calls = {};
	const words = new Uint32Array(c.memory.buffer, CALLS);
	for (let i = 0; words[i] !== 0; i += 4) {
		const [name, letters, result, number] = words.subarray(i, i + 4);
		calls[text(name)] = { letters: text(letters), result: String.fromCharCode(...[result & 255].filter(Boolean)), draw: c.__indirect_function_table.get(number) };
	}
	return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, functionOf(call)]));
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

	// This thread's pages: a few, as long as the functions.
	const pages = [];

	function block() {
		const words = new Uint32Array(PAGE / 4);
		pages.push(words);
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
		for (const words of pages) words[STALE] = 1;
		return 0;
	}

	const addon = {
		fill, strong: fill, uuid, uuid7, block, refill, invalidate, reseed: invalidate,
		// The functions below() draw as fast here as C's, which would have to copy the array.
		shuffle: null, streamShuffle: null, about,
		version: () => embedded.version,
		info: () => [about.engine, "webassembly", "unbuffered", about.entropy, "unbuffered", "none", "none"].join("\n"),
		stream: () => new Uint8Array(STREAM_SIZE),
		streamLayout: () => [BUFFER, BUFFER_SIZE, NEXT / 4, NEXT / 4].join("\n"),
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
