// SPDX-License-Identifier: BSD-2-Clause
// Single choices and identifiers, by the numbers of draws or of a stream, as docs/streams-specification.md says.
"use strict";
const { wrongType, outOfRange, checkBig, checkSafe } = require("./errors.js");

const TWO_32 = 2 ** 32;
const MOST_WEIGHT = 2n ** 64n - 1n;
const MOST_SYMBOLS = 256;
// Below V8's longest string.
const MOST_TEXT = 2 ** 28;
const UUID_TIME_END = 2 ** 48;

/** Whether 64 random bits are below p, exactly: pair() returns the upper and lower 32 bits.  Equal bits compare the next ones. */
function bernoulliBy(p, pair) {
	let left = p > 0 ? p : 0; // also for a NaN
	for (;;) {
		const [high, low] = pair();
		if (left >= 1) return true;
		const first = Math.floor(left * TWO_32);
		const rest = left * TWO_32 - first;
		const second = Math.floor(rest * TWO_32);
		if (high !== first) return high < first;
		if (low !== second) return low < second;
		left = rest * TWO_32 - second;
		if (left === 0) return false;
	}
}

/** Check the arguments of bernoulli(numerator, denominator): both are numbers or both are BigInts. */
function checkRatio(numerator, denominator) {
	checkBig("numerator", numerator, 0n, MOST_WEIGHT);
	if (typeof denominator !== typeof numerator) throw wrongType("denominator", `of type ${typeof numerator}`, denominator);
	checkBig("denominator", denominator, 1n, MOST_WEIGHT);
}

function checkProbability(p) {
	if (typeof p !== "number") throw wrongType("p", "of type number", p);
}

/** Shares and others of the alias method (A. J. Walker, doi:10.1145/355744.355749), in the specification's order. */
function tableOf(weights, sum) {
	const count = weights.length;
	const scaled = weights.map((weight) => weight * BigInt(count));
	const shares = new Array(count).fill(sum);
	const others = shares.map((_, i) => i);
	const next = (from, large) => {
		let i = from;
		while (i < count && scaled[i] > sum !== large) i++;
		return i;
	};
	let small = next(0, false);
	let large = next(0, true);
	let left = scaled[large];
	while (large < count) {
		if (left > sum) {
			[shares[small], others[small]] = [scaled[small], large];
			left -= sum - scaled[small];
			small = next(small + 1, false);
		} else {
			const filled = large;
			large = next(large + 1, true);
			if (large < count) {
				[shares[filled], others[filled]] = [left, large];
				left += scaled[large] - sum;
			}
		}
	}
	return { shares, others };
}

let chooseBy;

class Weighted {
	#table;

	constructor(weights) {
		if (typeof weights !== "object" || weights === null || typeof weights[Symbol.iterator] !== "function")
			throw wrongType("weights", "an array of numbers or bigints", weights);
		const all = Array.from(weights, (weight) => checkBig("weights", weight, 0n, MOST_WEIGHT));
		const sum = all.reduce((sum, weight) => sum + weight, 0n);
		const bound = sum * BigInt(all.length);
		if (bound === 0n || bound > MOST_WEIGHT)
			throw outOfRange("weights", "of a sum above 0 that is below 2 ** 64 when multiplied by the number of weights", sum);
		const { shares, others } = tableOf(all, sum);
		// With numbers, if they are exact.
		const exact = bound <= Number.MAX_SAFE_INTEGER;
		this.#table = exact ? { sum: Number(sum), bound: Number(bound), shares: Float64Array.from(shares, Number), others } : { sum, bound, shares, others };
	}

	static {
		/** An index, by below(bound) or, for a BigInt, big(bound). */
		chooseBy = (weighted, below, big) => {
			if (typeof weighted !== "object" || weighted === null || !(#table in weighted)) throw wrongType("weighted", "a Weighted", weighted);
			const { sum, bound, shares, others } = weighted.#table;
			const number = typeof bound === "number" ? below(bound) : big(bound);
			const unit = number % sum;
			const column = Number((number - unit) / sum);
			return unit < shares[column] ? column : others[column];
		};
	}
}

/** The characters of an alphabet. */
function symbolsOf(alphabet) {
	if (typeof alphabet !== "string") throw wrongType("alphabet", "of type string", alphabet);
	const symbols = Array.from(alphabet);
	if (symbols.length === 0 || symbols.length > MOST_SYMBOLS) throw outOfRange("alphabet", `of 1 to ${MOST_SYMBOLS} characters`, alphabet);
	return symbols;
}

/** A text of characters whose indexes are below(number of symbols). */
function textBy(length, symbols, below) {
	checkSafe("length", length);
	if (length < 0 || length > MOST_TEXT) throw outOfRange("length", `>= 0 and <= ${MOST_TEXT}`, length);
	const text = new Array(length);
	for (let i = 0; i < length; i++) text[i] = symbols[below(symbols.length)];
	return text.join("");
}

/** A UUID as text, of a version and random bytes, which are erased. */
function uuidOf(bytes, version) {
	bytes[6] = (bytes[6] & 0x0f) | (version << 4);
	bytes[8] = (bytes[8] & 0x3f) | 0x80; // the variant
	const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
	bytes.fill(0);
	return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Write the time of a UUID of version 7 into its first 6 bytes. */
function putTime(bytes, milliseconds) {
	for (let i = 0; i < 6; i++) bytes[i] = Math.floor(milliseconds / 2 ** (40 - 8 * i)) % 256;
	return bytes;
}

function checkTime(milliseconds) {
	checkSafe("milliseconds", milliseconds);
	if (milliseconds < 0 || milliseconds >= UUID_TIME_END) throw outOfRange("milliseconds", `>= 0 and < ${UUID_TIME_END}`, milliseconds);
}

module.exports = { bernoulliBy, checkRatio, checkProbability, Weighted, chooseBy, symbolsOf, textBy, uuidOf, putTime, checkTime };
