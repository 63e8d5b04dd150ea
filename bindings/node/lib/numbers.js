// SPDX-License-Identifier: BSD-2-Clause
// Numbers from random 32-bit words.
"use strict";

const TWO_21 = 2097152;
const TWO_32 = 4294967296;
const TWO_53 = 9007199254740992;

/**
 * An integer in [0, count) from the 32-bit function next(), by Lemire's method (doi:10.1145/3230636).  count is in
 * [1, 2^21]: the product is exact in a double.  again(count), if given, makes the number after a rejected word.
 */
function scaled(next, count, again) {
	let product = next() * count;
	let result = Math.floor(product / TWO_32);
	let low = product - result * TWO_32;
	if (low < count) {
		// Values below this would favour some results.
		const refused = (TWO_32 - count) % count;
		if (low < refused && again !== undefined) return again(count);
		while (low < refused) {
			product = next() * count;
			result = Math.floor(product / TWO_32);
			low = product - result * TWO_32;
		}
	}
	return result;
}

/** Functions that draw with word(). */
function numbersOf(word) {
	function random() {
		const high = word();
		return ((high >>> 5) * 67108864 + (word() >>> 6)) / TWO_53;
	}

	/** An unbiased integer in [0, count), for a count in [1, 2^53). */
	function below(count) {
		if (count <= TWO_21) return scaled(word, count);
		if (count <= TWO_32) {
			const even = TWO_32 - (TWO_32 % count);
			for (;;) {
				const value = word();
				if (value < even) return value % count;
			}
		}
		const even = TWO_53 - (TWO_53 % count);
		for (;;) {
			const high = word();
			const value = (high >>> 11) * TWO_32 + word();
			if (value < even) return value % count;
		}
	}

	return { random, below };
}

module.exports = { numbersOf, scaled, TWO_21 };
