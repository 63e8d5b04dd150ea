// SPDX-License-Identifier: BSD-2-Clause
// System draws, with the names of node:crypto.
"use strict";
const { types } = require("node:util");
const addon = require("./addon.js");
const arrays = require("./arrays.js");
const choices = require("./choices.js");
const { KINDS } = require("./kinds.js");
const { wrongType, outOfRange, checkFunction, checkFinite, bytesOf } = require("./errors.js");
const { wordsOf, standardOf } = require("./block.js");
const { numbersOf } = require("./numbers.js");

const { word } = wordsOf(addon);
const { random, below } = numbersOf(word);

/** Creates a page at the first draw. */
function lazily(make) {
	let draw = null;
	return () => (draw ??= make())();
}

const standardNormal = lazily(() => standardOf(addon, KINDS.normal, addon.normal).standard);
const standardExponential = lazily(() => standardOf(addon, KINDS.exponential, addon.exponential).standard);

// node:crypto's limit per request.
const MOST_BYTES = 2 ** 31 - 1;
// For callbacks: bytes in one turn of the event loop, which take less than a millisecond.
const SLICE = 2 ** 20;
// The quota of the Web Cryptography API.
const QUOTA = 65536;

/** A size in elements, as bytes.  As in Node, fractions of a byte are truncated. */
function checkedSize(name, size, most, element = 1) {
	if (typeof size !== "number") throw wrongType(name, "of type number", size);
	if (!(size >= 0 && size * element <= most)) throw outOfRange(name, `>= 0 and <= ${most / element}`, size);
	return Math.trunc(size * element);
}

/** Offset and size in bytes of a request of randomFill, whose arguments count array elements. */
function pieceOf(buffer, offset, size) {
	const element = buffer.BYTES_PER_ELEMENT ?? 1;
	const length = buffer.byteLength;
	const from = checkedSize("offset", offset, length, element);
	if (size === undefined) return [from, length - from];
	return [from, checkedSize("size", size, Math.min(MOST_BYTES, length - from), element)];
}

/**
 * Fill in slices, each in a separate turn of the event loop, in the same thread: another thread would not notice that the
 * caller detaches or shrinks the buffer meanwhile.
 */
function fillLater(bytes, from, size, done) {
	const now = Math.min(size, SLICE);
	try {
		addon.fill(bytes, from, now);
	} catch (error) {
		process.nextTick(done, error);
		return;
	}
	if (now === size) process.nextTick(done, null);
	else setImmediate(fillLater, bytes, from + now, size - now, done);
}

function randomBytes(size, callback) {
	const length = checkedSize("size", size, MOST_BYTES);
	if (callback !== undefined) checkFunction("callback", callback);
	// In separate memory, as in Node: .buffer must not expose allocUnsafe's pool.
	const bytes = Buffer.allocUnsafeSlow(length);
	if (callback === undefined) {
		addon.fill(bytes, 0, length);
		return bytes;
	}
	fillLater(bytes, 0, length, (error) => (error ? callback(error) : callback(null, bytes)));
	return undefined;
}

function randomFillSync(buffer, offset = 0, size = undefined) {
	const bytes = bytesOf("buf", buffer);
	addon.fill(bytes, ...pieceOf(buffer, offset, size));
	return buffer;
}

function randomFill(buffer, offset, size, callback) {
	const bytes = bytesOf("buf", buffer);
	if (typeof offset === "function") [offset, size, callback] = [0, undefined, offset];
	else if (typeof size === "function") [size, callback] = [undefined, size];
	checkFunction("callback", callback);
	fillLater(bytes, ...pieceOf(buffer, offset, size), (error) => (error ? callback(error) : callback(null, buffer)));
}

const isInteger = (array) =>
	ArrayBuffer.isView(array) && !types.isDataView(array) && !types.isFloat32Array(array) && !types.isFloat64Array(array) &&
	array[Symbol.toStringTag] !== "Float16Array";

/** https://www.w3.org/TR/webcrypto-2/#Crypto-method-getRandomValues */
function getRandomValues(array) {
	if (!isInteger(array)) throw new DOMException("The array must have integers", "TypeMismatchError");
	const bytes = bytesOf("typedArray", array);
	if (types.isSharedArrayBuffer(array.buffer)) throw wrongType("typedArray", "an array that is not shared", array);
	if (array.byteLength > QUOTA)
		throw new DOMException(`${array.byteLength} bytes are more than a call gives, ${QUOTA}`, "QuotaExceededError");
	addon.fill(bytes, 0, array.byteLength);
	return array;
}

function randomInt(min, max, callback) {
	if (max === undefined || typeof max === "function") [min, max, callback] = [0, min, max];
	if (callback !== undefined) checkFunction("callback", callback);
	const value = min + below(arrays.rangeOf(min, max));
	if (callback === undefined) return value;
	process.nextTick(callback, undefined, value);
	return undefined;
}

const randomBigInt = (min, max) => arrays.bigBy(addon.integer, min, max);

function randomUUID(options) {
	if (options !== undefined) {
		if (typeof options !== "object" || options === null || Array.isArray(options)) throw wrongType("options", "of type object", options);
		const { disableEntropyCache = false } = options;
		if (typeof disableEntropyCache !== "boolean") throw wrongType("options.disableEntropyCache", "of type boolean", disableEntropyCache);
	}
	return addon.uuid();
}

const randomUUIDv7 = () => addon.uuid7();

const pair = () => [word(), word()];

function bernoulli(p, denominator) {
	if (denominator === undefined) {
		choices.checkProbability(p);
		return choices.bernoulliBy(p, pair);
	}
	choices.checkRatio(p, denominator);
	return (typeof p === "bigint" ? addon.integer(0n, denominator) : below(denominator)) < p;
}

const choose = (weighted) => choices.chooseBy(weighted, below, (bound) => addon.integer(0n, bound));
const text = (length, alphabet) => choices.textBy(length, choices.symbolsOf(alphabet), below);

/** As in nanoid. */
function customAlphabet(alphabet, defaultSize = 21) {
	const symbols = choices.symbolsOf(alphabet);
	return (size = defaultSize) => choices.textBy(size, symbols, below);
}

function normal(mu = 0, sigma = 1) {
	arrays.checkNormal(mu, sigma);
	return mu + sigma * standardNormal();
}

function exponential(mean = 1) {
	checkFinite("mean", mean, 0);
	return mean * standardExponential();
}

function filled(kind, array, a, b) {
	arrays.checkArray(kind, array);
	arrays.check(addon, addon.fillNumbers(kind, array, a, b));
	return array;
}

const fillUint32 = (array) => filled(KINDS.uint32, array, 0, 0);
const fillUint64 = (array) => filled(KINDS.uint64, array, 0, 0);
const fillFloat = (array) => filled(KINDS.float, array, 0, 0);
const fillDouble = (array) => filled(KINDS.double, array, 0, 0);

function fillNormal(array, mu = 0, sigma = 1) {
	arrays.checkNormal(mu, sigma);
	return filled(KINDS.normal, array, mu, sigma);
}

function fillExponential(array, mean = 1) {
	checkFinite("mean", mean, 0);
	return filled(KINDS.exponential, array, mean, 0);
}

function fillIntegers(array, min, max) {
	const [first, count] = arrays.integersOf(array, min, max);
	arrays.check(addon, addon.fillIntegers(array, first, count));
	return array;
}

const sample = (k, n) => arrays.sampleBy(addon, addon.sample, k, n);
const shuffle = (array) => arrays.shuffleBy(below, addon.shuffle, array);

function strongBytes(size) {
	const length = checkedSize("size", size, MOST_BYTES);
	const bytes = Buffer.allocUnsafeSlow(length);
	addon.strong(bytes, 0, length);
	return bytes;
}

function invalidate() {
	addon.invalidate();
}

function reseed() {
	arrays.check(addon, addon.reseed());
}

const INFO = ["engine", "backend", "placement", "entropy", "forkGuard", "memoryLock", "blockLock"];
const { form = "addon", reason = "" } = addon.about ?? {};
const info = () => ({ form, reason, ...Object.fromEntries(addon.info().split("\n").map((text, i) => [INFO[i], text])) });
const version = addon.version();

module.exports = {
	randomBytes, randomFillSync, randomFill, getRandomValues, randomInt, randomBigInt, randomUUID, randomUUIDv7, random, normal, exponential,
	bernoulli, choose, text, customAlphabet, Weighted: choices.Weighted,
	fillUint32, fillUint64, fillFloat, fillDouble, fillNormal, fillExponential, fillIntegers, sample, shuffle, strongBytes,
	invalidate, reseed, info, version, checkedSize, pieceOf, MOST_BYTES,
};
