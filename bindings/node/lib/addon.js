// SPDX-License-Identifier: BSD-2-Clause
// The compiled addon or, if there is none, the same functions over WebAssembly.
"use strict";
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

// A release's package contains the addons for Windows and macOS.
const made = `../c/${process.platform}-${process.arch}.node`;
const file = fs.existsSync(path.join(__dirname, made)) ? made : "../build/Release/cprng.node";

/** [addon], or [null, reason]. */
function compiled() {
	// Bundlers join this file with others, and cannot put the addon into the bundle.
	if (!fs.existsSync(path.join(__dirname, "addon.js"))) return [null, "a bundle has no addon: mark the package as external"];
	if (process.env.CPRNG_NODE_FORM === "webassembly") return [null, "the environment variable CPRNG_NODE_FORM asks for it"];
	try {
		return [createRequire(__filename)(file), ""];
	} catch (error) {
		if (error.code !== "MODULE_NOT_FOUND") return [null, `the addon cannot be loaded: ${error.message}`];
	}
	try {
		return [null, fs.readFileSync(path.join(__dirname, "../gyp/reason"), "utf8")]; // by gyp/install.js
	} catch {
		return [null, "the installation compiled no addon: its script was not run"];
	}
}

/** The library as WebAssembly.  A package made without zig lacks it. */
function embedded(reason) {
	try {
		return require("../c/embedded.js");
	} catch (error) {
		throw new Error(`cprng: ${reason}, and the package has no WebAssembly`, { cause: error });
	}
}

const [addon, reason] = compiled();
if (addon) module.exports = addon;
else {
	const { addonOf } = require("./wasm.js");
	const { randomFillSync } = require("node:crypto");
	module.exports = addonOf(embedded(reason), randomFillSync, { form: "webassembly", reason, engine: "node:crypto", entropy: "randomFillSync" });
}
