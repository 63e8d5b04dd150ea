// SPDX-License-Identifier: BSD-2-Clause
// In place of lib/addon.js in browsers.
"use strict";
const { types } = require("node:util");
const { addonOf } = require("../lib/wasm.js");

const QUOTA = 65536; // getRandomValues' limit; it also refuses shared memory
function fillRandom(bytes) {
	const shared = types.isSharedArrayBuffer(bytes.buffer);
	for (let at = 0; at < bytes.length; at += QUOTA) {
		const piece = bytes.subarray(at, at + QUOTA);
		if (shared) {
			const own = crypto.getRandomValues(new Uint8Array(piece.length));
			piece.set(own);
			own.fill(0);
		} else crypto.getRandomValues(piece);
	}
}

const about = { form: "webassembly", reason: "a browser has no addons", engine: "crypto", entropy: "getRandomValues" };
module.exports = addonOf(require("cprng:embedded"), fillRandom, about);
