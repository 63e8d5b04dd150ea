// SPDX-License-Identifier: BSD-2-Clause
// node draws.mjs [TASK GENERATOR SECONDS]: the measurement of lab/peers/bindings/rust, in Node; Node's own functions and
// popular packages for comparison.
import crypto from "node:crypto";
import cprng from "cprng";
import { randomNormal } from "d3-random";
import { unsafeUniformIntDistribution, xoroshiro128plus } from "pure-rand";
import seedrandom from "seedrandom";
import { v4 } from "uuid";

const stream = new cprng.Stream(1);
const alea = seedrandom.alea("1");
const arc4 = seedrandom("1");
const xoroshiro = xoroshiro128plus(1);
const webcrypto = crypto.webcrypto;

const tasks = {};
const add = (task, generators) => {
	for (const [name, run] of Object.entries(generators)) tasks[`${task}\t${name}`] = run;
};

add("u32", {
	"cprng.Stream, uint32": () => stream.uint32(),
	"pure-rand, xoroshiro128+": () => xoroshiro.unsafeNext(),
	"seedrandom, alea": () => alea.int32(),
	"seedrandom, ARC4": () => arc4.int32(),
});
add("below", {
	"cprng.randomInt": () => cprng.randomInt(1000000),
	"cprng.Stream, randomInt": () => stream.randomInt(1000000),
	"crypto.randomInt": () => crypto.randomInt(1000000),
	"Math.random": () => Math.floor(Math.random() * 1000000),
	"pure-rand, xoroshiro128+": () => unsafeUniformIntDistribution(0, 999999, xoroshiro),
});
add("double", {
	"cprng.random": () => cprng.random(),
	"cprng.Stream, random": () => stream.random(),
	"Math.random": () => Math.random(),
	"seedrandom, alea": () => alea.double(),
	"seedrandom, ARC4": () => arc4.double(),
});
const [polar, polarStream] = [randomNormal(), randomNormal.source(arc4)()];
add("normal", {
	"cprng.normal": () => cprng.normal(),
	"cprng.Stream, normal": () => stream.normal(),
	"d3-random, Math.random": () => polar(),
	"d3-random, seedrandom": () => polarStream(),
});
for (const [task, size] of [["32 B", 32], ["4 KiB", 4096], ["64 KiB", 65536]]) {
	const bytes = new Uint8Array(size);
	add(task, {
		"cprng.randomBytes": () => cprng.randomBytes(size),
		"cprng.randomFillSync": () => cprng.randomFillSync(bytes),
		"cprng.getRandomValues": () => cprng.getRandomValues(bytes),
		"cprng.Stream, randomFillSync": () => stream.randomFillSync(bytes),
		"crypto.randomBytes": () => crypto.randomBytes(size),
		"crypto.randomFillSync": () => crypto.randomFillSync(bytes),
		"crypto.getRandomValues": () => webcrypto.getRandomValues(bytes),
	});
}
// Convert to text, as a program that needs an identifier does: JavaScript joins strings only then.
const written = Buffer.alloc(36);
add("uuid", {
	"cprng.randomUUID": () => written.latin1Write(cprng.randomUUID()),
	"crypto.randomUUID": () => written.latin1Write(crypto.randomUUID()),
	"uuid, v4": () => written.latin1Write(v4()),
});
const doubles = new Float64Array(1000);
const singly = (draw) => () => {
	for (let i = 0; i < doubles.length; i++) doubles[i] = draw();
};
add("doubles", {
	"cprng.fillDouble": () => cprng.fillDouble(doubles),
	"cprng.Stream, fillDouble": () => stream.fillDouble(doubles),
	"Math.random": singly(() => Math.random()),
	"seedrandom, alea": singly(() => alea.double()),
});
add("normals", {
	"cprng.fillNormal": () => cprng.fillNormal(doubles),
	"cprng.Stream, fillNormal": () => stream.fillNormal(doubles),
	"d3-random, Math.random": singly(polar),
});

let sink = 0;
function nanoseconds(run, count) {
	const begin = process.hrtime.bigint();
	for (let i = 0; i < count; i++) if (run() === null) sink++;
	return Number(process.hrtime.bigint() - begin);
}

const [task, generator, seconds] = process.argv.slice(2);
if (task === undefined) {
	console.log(Object.keys(tasks).join("\n"));
} else {
	const run = tasks[`${task}\t${generator}`];
	for (const begin = Date.now(); Date.now() - begin < 300; ) nanoseconds(run, 100); // let the JIT compile it
	for (let count = 16; ; count *= 2) {
		const took = nanoseconds(run, count);
		if (took >= seconds * 1e9) {
			console.log(took / count);
			break;
		}
	}
}
