// SPDX-License-Identifier: BSD-2-Clause
// Numbers from pages that native/block.c creates and fills, without a call of C for each.  Served numbers are erased.
"use strict";
const { KINDS } = require("./kinds.js");

// As in native/block.c: two words, then the numbers, which are served from the end.
const LEFT = 0;
const STALE = 1;

/** A function that draws words from a block, or from the addon if blocks are unavailable. */
function wordsOf(addon) {
	const words = addon.block();
	if (words === null) return { words, word: addon.word };

	function word() {
		let left = words[LEFT];
		// Also 0 in a forked child, where the kernel has wiped the page.
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

/** The same for standard normals or exponentials; without a block, it is single. */
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

module.exports = { wordsOf, standardOf, LEFT, STALE };
