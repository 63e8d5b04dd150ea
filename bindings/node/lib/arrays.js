// SPDX-License-Identifier: BSD-2-Clause
// Arrays of numbers, for system draws and streams: arguments and C's status codes.
"use strict";
const { types } = require("node:util");
const { coded, wrongType, wrongValue, outOfRange, checkFinite, checkSafe } = require("./errors.js");

// In the order of KINDS.
const ARRAYS = [
	["a Uint32Array", types.isUint32Array],
	["a BigUint64Array", types.isBigUint64Array],
	["a Float32Array", types.isFloat32Array],
	["a Float64Array", types.isFloat64Array],
	["a Float64Array", types.isFloat64Array],
	["a Float64Array", types.isFloat64Array],
];

function checkArray(kind, array) {
	const [wanted, is] = ARRAYS[kind];
	if (!is(array)) throw wrongType("array", wanted, array);
}

function checkNormal(mu, sigma) {
	checkFinite("mu", mu, -Infinity);
	checkFinite("sigma", sigma, 0);
}

// Errors of C (enum cprng_error) that an argument can cause, besides those checked earlier.
const ENGINE = -1;
const KEY_SIZE = -2;
const NONCE_SIZE = -3;
const RANGE = -4;
const CHECKPOINT = -18;

/** Throw the error for a C status; `received` is the engine or bytes argument. */
function check(addon, status, received) {
	const size = () => `Received ${received.byteLength} bytes`;
	switch (status) {
		case 0:
			return;
		case ENGINE:
			throw wrongValue("engine", "the name of an engine", received);
		case KEY_SIZE:
			throw coded(RangeError, "ERR_OUT_OF_RANGE", 'The "key" is not of a size that the engine takes');
		case NONCE_SIZE:
			throw coded(RangeError, "ERR_OUT_OF_RANGE", 'The "nonce" is not of a size that the engine takes');
		case RANGE:
			throw coded(RangeError, "ERR_OUT_OF_RANGE", "The stream ends before this offset, or before the last byte");
		case CHECKPOINT:
			throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The "checkpoint" is none, or not a whole one. ${size()}`);
		default:
			throw coded(Error, "ERR_CPRNG", `cprng: ${addon.message(-status)}`);
	}
}

const BIG = { int64: [-(2n ** 63n), 2n ** 63n], uint64: [0n, 2n ** 64n] };

/** For [min, max) of BigInts: the first value, the count modulo 2^64, and whether they are signed. */
function bigRange(min, max, only) {
	for (const [name, value] of [["min", min], ["max", max]]) {
		if (typeof value !== "bigint") throw wrongType(name, "of type bigint", value);
	}
	const [least, end] = BIG[only ?? (min < 0n ? "int64" : "uint64")];
	if (min < least || min >= end) throw outOfRange("min", `>= ${least} and < ${end}`, min);
	if (max <= min || max > end) throw outOfRange("max", `> ${min} and <= ${end}`, max);
	return [min, BigInt.asUintN(64, max - min), least < 0n];
}

/** A BigInt in [min, max), by draw(first, count), whose result is modulo 2^64. */
function bigBy(draw, min, max) {
	if (max === undefined) [min, max] = [0n, min];
	const [first, count, isSigned] = bigRange(min, max);
	return (isSigned ? BigInt.asIntN : BigInt.asUintN)(64, draw(first, count));
}

// By type of array: the least value, and the one after the greatest.
const RANGES = [
	[types.isInt32Array, -(2 ** 31), 2 ** 31],
	[types.isUint32Array, 0, 2 ** 32],
	[types.isFloat64Array, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
];

/** The arguments of fillIntegers: the first value and the count, modulo 2^64. */
function integersOf(array, min, max) {
	if (types.isBigInt64Array(array)) return bigRange(min, max, "int64");
	if (types.isBigUint64Array(array)) return bigRange(min, max, "uint64");
	const found = RANGES.find(([is]) => is(array));
	if (!found) throw wrongType("array", "an Int32Array, Uint32Array, Float64Array, BigInt64Array or BigUint64Array", array);
	const [, least, end] = found;
	checkSafe("min", min);
	checkSafe("max", max);
	if (min < least) throw outOfRange("min", `>= ${least}`, min);
	if (max <= min || max > end) throw outOfRange("max", `> ${min} and <= ${end}`, max);
	return [BigInt(min), BigInt(max) - BigInt(min)];
}

/** The arguments of randomInt, as in Node: [min, count]. */
function rangeOf(min, max) {
	checkSafe("min", min);
	checkSafe("max", max);
	if (max <= min) throw outOfRange("max", `greater than the value of "min" (${min})`, max);
	const count = max - min;
	if (!Number.isSafeInteger(count)) throw outOfRange("max - min", `<= ${Number.MAX_SAFE_INTEGER}`, count);
	return count;
}

/** k distinct integers in [0, n) from fill(array, n), which returns a status; BigInts if n is one. */
function sampleBy(addon, fill, k, n) {
	checkSafe("k", k);
	if (typeof n !== "bigint") checkSafe("n", n);
	if (n < 0 || n >= 2n ** 64n) throw outOfRange("n", ">= 0 and < 2 ** 64", n);
	if (k < 0 || k > n) throw outOfRange("k", `>= 0 and <= ${n}`, k);
	const chosen = new (typeof n === "bigint" ? BigUint64Array : Float64Array)(k);
	check(addon, fill(chosen, BigInt(n)));
	const sample = new Array(k);
	for (let i = 0; i < k; i++) sample[i] = chosen[i];
	return sample;
}

// With fewer elements a call of C takes longer than it saves: for a typed array, and for another one, whose places C shuffles.
const FEW = 16;
const FEW_PLACES = 128;
// The places of most arrays: 64 KiB, made once, because V8 takes long for a new one.
let places = new Uint32Array(0);
const MOST_PLACES = 16384;

/** Put the elements of an array into the order of places that shuffle(array) has shuffled. */
function gather(array, shuffle) {
	const count = array.length;
	if (places.length === 0) places = new Uint32Array(MOST_PLACES);
	const own = count <= MOST_PLACES ? places.subarray(0, count) : new Uint32Array(count);
	for (let i = 0; i < count; i++) own[i] = i;
	const before = Array.from(array);
	shuffle(own);
	for (let i = 0; i < count; i++) array[i] = before[own[i]];
	own.fill(0); // leave no copy that the caller cannot erase
}

/**
 * Put an array into random order: by shuffle(typed array), C's, if it is not null, else with choices by below(count):
 * Fisher-Yates in Durstenfeld's form.
 */
function shuffleBy(below, shuffle, array) {
	const typed = ArrayBuffer.isView(array) && !types.isDataView(array);
	if (!typed && !Array.isArray(array)) throw wrongType("array", "an Array or a typed array", array);
	const own = shuffle !== null && array[Symbol.toStringTag] !== "Float16Array"; // Node-API does not have this type
	if (own && array.length >= (typed ? FEW : FEW_PLACES)) {
		if (typed) shuffle(array);
		else gather(array, shuffle);
		return array;
	}
	for (let count = array.length; count > 1; count--) {
		const other = below(count);
		const last = array[count - 1];
		array[count - 1] = array[other];
		array[other] = last;
	}
	return array;
}

module.exports = { checkArray, checkNormal, check, bigBy, integersOf, rangeOf, sampleBy, shuffleBy };
