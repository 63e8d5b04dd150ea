// SPDX-License-Identifier: BSD-2-Clause
// The compiled addon; or, where there is none, the same functions over WebAssembly.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

// The package of a release has those for Windows and macOS.
const made = `../c/${process.platform}-${process.arch}.node`;
const file = fs.existsSync(path.join(__dirname, made)) ? made : "../build/Release/cprng.node";

/** The addon, or why there is none. */
function compiled() {
	if (process.env.CPRNG_NODE_FORM === "webassembly") return [null, "the environment variable CPRNG_NODE_FORM asks for it"];
	try {
		return [require(file), ""];
	} catch (error) {
		if (error.code !== "MODULE_NOT_FOUND") return [null, `the addon cannot be loaded: ${error.message}`];
	}
	try {
		return [null, fs.readFileSync(path.join(__dirname, "../gyp/reason"), "utf8")]; // by gyp/install.js
	} catch {
		return [null, "the installation compiled no addon: its script was not run"];
	}
}

const [addon, reason] = compiled();
if (addon) module.exports = addon;
else {
	const { addonOf } = require("./wasm.js");
	const { randomFillSync } = require("node:crypto");
	const wasm = path.join(__dirname, "../c/cprng.wasm");
	if (!fs.existsSync(wasm)) throw new Error(`cprng: ${reason}, and the package has no WebAssembly`);
	module.exports = addonOf(new WebAssembly.Module(fs.readFileSync(wasm)), randomFillSync, { reason, engine: "node:crypto", entropy: "randomFillSync" });
}
