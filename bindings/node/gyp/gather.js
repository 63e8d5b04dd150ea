// SPDX-License-Identifier: BSD-2-Clause
// Before `npm pack`: copy the C library and the licence into the package.  gather.js --remove: remove them.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const here = path.dirname(__dirname);
const root = path.resolve(here, "../..");
const [c, licence] = [path.join(here, "c"), path.join(here, "LICENSE")];

fs.rmSync(c, { recursive: true, force: true });
fs.rmSync(licence, { force: true });
if (!process.argv.includes("--remove")) {
	const header = fs.readFileSync(path.join(root, "include/cprng/cprng.h"), "utf8");
	const version = [...header.matchAll(/^#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$/gm)].map((found) => found[1]).join(".");
	const own = require("../package.json").version;
	if (own !== version) throw new Error(`package.json says ${own}, the library is ${version}`);

	execFileSync(path.join(root, "tools/one-file"), [path.join(c, "cprng")]);
	fs.copyFileSync(path.join(root, "LICENSE"), licence);
}
