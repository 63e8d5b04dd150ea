// SPDX-License-Identifier: BSD-2-Clause
// Numbers without a call of C each: from pages that native/block.c makes and fills.  A number is erased as it is served.
"use strict";
const { KINDS } = require("./kinds.js");

// native/block.c has these, too: two words, and the numbers behind them; the next is the last of what is left.
const LEFT = 0;
const STALE = 1;

/** What draws single words: of a block, or of the addon itself where there can be none. */
function wordsOf(addon) {
	const words = addon.block();
	if (words === null) return { words, word: addon.word };

	function word() {
		let left = words[LEFT];
		// 0 also in a forked child, where the kernel has wiped the page.
		if (left === 0 || words[STALE] !== 0) {
			addon.refill(words, KINDS.uint32);
			left = words[LEFT];
		}
		const at = left + 1;
		const value = words[at];
		words[at] = 0;
		words[LEFT] = left - 1;
		return value;
	}
	return { words, word };
}

/** The same of standard normals, or exponentials; without a block by single(). */
function standardOf(addon, kind, single) {
	const words = addon.block();
	if (words === null) return { words, standard: single };
	const numbers = new Float64Array(words.buffer);

	function standard() {
		let left = words[LEFT];
		if (left === 0 || words[STALE] !== 0) {
			addon.refill(words, kind);
			left = words[LEFT];
		}
		const value = numbers[left];
		numbers[left] = 0;
		words[LEFT] = left - 1;
		return value;
	}
	return { words, standard };
}

module.exports = { wordsOf, standardOf };
