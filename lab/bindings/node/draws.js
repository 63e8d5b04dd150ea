// SPDX-License-Identifier: BSD-2-Clause
// node draws.js ADDON [TASK GENERATOR SECONDS]: what lab/bindings/rust measures, in Node, with a prototype of a binding.
"use strict";
const crypto = require("node:crypto");
const cprng = require(process.argv[2]);

const fills = {
	"cprng, fill(bytes)": cprng.fill,
	"crypto.randomFillSync": (bytes) => crypto.randomFillSync(bytes),
	"crypto.getRandomValues": (bytes) => crypto.webcrypto.getRandomValues(bytes),
};
const makes = {
	"cprng, a new Buffer": (size) => cprng.fill(Buffer.allocUnsafe(size)),
	"crypto.randomBytes": (size) => crypto.randomBytes(size),
};
const tasks = {};
for (const [task, size] of [["32 B", 32], ["4 KiB", 4096], ["64 KiB", 65536]]) {
	const bytes = new Uint8Array(size);
	for (const [name, fill] of Object.entries(fills)) tasks[`${task}\t${name}`] = () => fill(bytes);
	for (const [name, make] of Object.entries(makes)) tasks[`${task}\t${name}`] = () => make(size);
}
tasks["below\tcprng, by number()"] = () => Math.floor(cprng.number() * 1000000);
tasks["below\tcrypto.randomInt"] = () => crypto.randomInt(1000000);

let sink = 0;
function nanoseconds(run, count) {
	const begin = process.hrtime.bigint();
	for (let i = 0; i < count; i++) if (run() === undefined) sink++;
	return Number(process.hrtime.bigint() - begin);
}

const [task, generator, seconds] = process.argv.slice(3);
if (task === undefined) {
	console.log(Object.keys(tasks).join("\n"));
} else {
	const run = tasks[`${task}\t${generator}`];
	for (const begin = Date.now(); Date.now() - begin < 300; ) nanoseconds(run, 100); // compiled by then
	for (let count = 16; ; count *= 2) {
		const took = nanoseconds(run, count);
		if (took >= seconds * 1e9) {
			console.log(took / count);
			break;
		}
	}
}
