// SPDX-License-Identifier: BSD-2-Clause
// Compile the addon with node-gyp, using the headers installed with this Node; if there are none, node-gyp downloads them.
// If it cannot be compiled, the package uses WebAssembly.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const here = path.dirname(__dirname);
// The package contains a compiled addon for this system.
if (fs.existsSync(path.join(here, `c/${process.platform}-${process.arch}.node`))) process.exit();

const prefix = path.resolve(fs.realpathSync(process.execPath), "../..");
const headers = ["node_api.h", "common.gypi"].every((file) => fs.existsSync(path.join(prefix, "include/node", file)));
const own = headers && !process.env.npm_config_nodedir ? [`--nodedir=${prefix}`] : [];

// npm provides its node-gyp's path; yarn and pnpm have one on PATH.
const gyp = process.env.npm_config_node_gyp;
const [command, ...first] = gyp ? [process.execPath, gyp] : ["node-gyp"];

// The compiler reads CFLAGS last: they must not disable optimisation (see binding.gyp).
const env = { ...process.env };
if (env.CFLAGS) env.CFLAGS += " -O2 -fvisibility=hidden";

const run = spawnSync(command, [...first, "rebuild", "--silent", ...own], { cwd: here, env, stdio: "inherit" });
if (run.status !== 0) {
	const failure = run.error ? `cannot be run: ${run.error.message}` : `failed (${run.signal ?? `status ${run.status}`})`;
	const reason = `the installation compiled no addon: ${gyp ? "node-gyp" : command} ${failure}`;
	fs.rmSync(path.join(here, "build"), { recursive: true, force: true });
	fs.writeFileSync(path.join(__dirname, "reason"), reason);
	console.error(`cprng: ${reason}`);
	// lib/addon.js then loads the WebAssembly.
	if (fs.existsSync(path.join(here, "c/embedded.js"))) console.error("cprng: it uses WebAssembly: slower, and with secrets from node:crypto (cprng.info())");
	else process.exitCode = 1;
}
