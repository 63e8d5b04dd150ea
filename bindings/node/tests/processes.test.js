// SPDX-License-Identifier: BSD-2-Clause
// Workers, processes of child_process.fork, and a cluster.
"use strict";
const assert = require("node:assert");
const { fork } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { Worker } = require("node:worker_threads");
const cprng = require("cprng");
const { printed, assertApart, webassembly, SOME } = require("./support.js");

const some = eval(SOME);

/** The message of a Worker or process that runs a program. */
const message = (emitter) =>
	new Promise((resolve, reject) => {
		emitter.once("message", resolve);
		emitter.once("error", reject);
	});

// Catches draws shared by two Workers, or by a Worker and the main thread.
test("Workers", async () => {
	const program = `require("node:worker_threads").parentPort.postMessage((${SOME})(require("cprng")));`;
	const lists = await Promise.all(Array.from({ length: 8 }, () => message(new Worker(program, { eval: true }))));
	assertApart([...lists, some(cprng)]);
});

// Catches bytes that two concurrent threads both receive.
test("Workers at the same time", async () => {
	const count = 30000;
	const program = `
		const cprng = require("cprng");
		const out = new BigUint64Array(${3 * count});
		for (let i = 0; i < out.length; i += 3) {
			cprng.randomFillSync(out, i, 1);
			out[i + 1] = BigInt(cprng.random() * 2 ** 53);
			out[i + 2] = BigInt(cprng.randomInt(2 ** 32)) << 32n | BigInt(cprng.randomInt(2 ** 32));
			if (i % 3000 === 0) cprng.invalidate();
		}
		require("node:worker_threads").parentPort.postMessage(out);`;
	const arrays = await Promise.all(Array.from({ length: 4 }, () => message(new Worker(program, { eval: true }))));
	const seen = new Set(arrays.flatMap((array) => [...array]));
	// 360,000 numbers, a third of them of 53 bits: 1e-6 equal pairs are expected.
	assert.strictEqual(seen.size, 4 * 3 * count);
});

// Catches a library that is unloaded with its last Worker, and whose next load creates new pages.
test("Workers alone, one after the other", { skip: webassembly || (process.platform !== "linux" && "it reads /proc") }, () => {
	const [loaded, sizes] = printed(
		`const fs = require("node:fs");
		const { Worker } = require("node:worker_threads");
		const kib = () => Number(/VmLck:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
		(async () => {
			const sizes = [];
			for (let i = 0; i < 12; i++) {
				await new Promise((resolve) => new Worker("require('cprng').randomBytes(8)", { eval: true }).on("exit", resolve));
				sizes.push(kib());
			}
			console.log(JSON.stringify([fs.readFileSync("/proc/self/maps", "utf8").includes("cprng.node"), sizes]));
		})();`,
	);
	assert.ok(loaded);
	// At most a page for each CPU that draws.
	assert.ok(sizes.at(-1) - sizes[2] <= 4 * 2 * os.cpus().length, sizes.join());
});

// Catches a process that starts with its parent's buffered bytes.
test("child_process.fork", async () => {
	const file = path.join(__dirname, "forked.tmp.js");
	fs.writeFileSync(file, `process.send((${SOME})(require("cprng")));`);
	try {
		const children = Array.from({ length: 3 }, () => fork(file));
		assertApart([...(await Promise.all(children.map(message))), some(cprng)]);
	} finally {
		fs.unlinkSync(file);
	}
});

// Catches the same for a cluster's workers.
test("cluster", () => {
	const file = path.join(__dirname, "cluster.tmp.js");
	fs.writeFileSync(
		file,
		`const cluster = require("node:cluster");
		const cprng = require("cprng");
		const some = ${SOME};
		if (cluster.isPrimary) {
			const lists = [some(cprng)];
			cluster.on("message", (worker, list) => {
				worker.kill();
				if (lists.push(list) === 4) console.log(JSON.stringify(lists));
			});
			cluster.setupPrimary({ exec: __filename });
			for (let i = 0; i < 3; i++) cluster.fork();
		} else process.send(some(cprng));`,
	);
	try {
		assertApart(printed(`require(${JSON.stringify(file)})`));
	} finally {
		fs.unlinkSync(file);
	}
});

// Catches a second load of the files, for example by a test runner, that shares a page with the first.
test("two loads in one thread", () => {
	const lists = printed(
		`const some = ${SOME};
		const load = () => {
			for (const file of Object.keys(require.cache)) delete require.cache[file];
			return require("cprng");
		};
		const [one, other] = [load(), load()];
		if (one === other) throw new Error("loaded once");
		console.log(JSON.stringify([some(one), some(other), some(one), some(other)]));`,
	);
	assertApart(lists);
});

// Catches arrays of another realm (node:vm, Jest) that are not recognized.
test("arrays of another realm", () => {
	const vm = require("node:vm");
	const array = vm.runInNewContext("new Uint8Array(64)");
	assert.ok(!(array instanceof Uint8Array));
	assert.ok(cprng.randomFillSync(array).some((byte) => byte !== 0));
	assert.ok(cprng.getRandomValues(vm.runInNewContext("new Uint16Array(64)")).some((value) => value !== 0));
	assert.ok(cprng.randomFillSync(vm.runInNewContext("new ArrayBuffer(8)")).byteLength === 8);
	assert.ok(cprng.fillDouble(vm.runInNewContext("new Float64Array(8)")).every((number) => number < 1));
	assert.strictEqual(cprng.shuffle(vm.runInNewContext("[1, 2, 3]")).length, 3);
});
