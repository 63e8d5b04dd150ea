// SPDX-License-Identifier: BSD-2-Clause
// Compile the addon with node-gyp, using the headers installed with this Node; if there are none, node-gyp downloads them.
"use strict";
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const prefix = path.resolve(fs.realpathSync(process.execPath), "../..");
const headers = ["node_api.h", "common.gypi"].every((file) => fs.existsSync(path.join(prefix, "include/node", file)));
const own = headers && !process.env.npm_config_nodedir ? [`--nodedir=${prefix}`] : [];

// npm provides its node-gyp's path; yarn and pnpm have one on PATH.
const gyp = process.env.npm_config_node_gyp;
const [command, ...first] = gyp ? [process.execPath, gyp] : ["node-gyp"];

// The compiler reads CFLAGS last: they must not disable optimisation (see binding.gyp).
const env = { ...process.env };
if (env.CFLAGS) env.CFLAGS += " -O2 -fvisibility=hidden";

const run = spawnSync(command, [...first, "rebuild", "--silent", ...own], { cwd: path.dirname(__dirname), env, stdio: "inherit" });
if (run.error) console.error(`cprng: ${command} cannot be run: ${run.error.message}`);
process.exitCode = run.status ?? 1;
