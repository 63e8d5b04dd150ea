// SPDX-License-Identifier: BSD-2-Clause
// The installed package: versions, names, types, symbols.
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const cprng = require("cprng");
const { root, library, webassembly } = require("./support.js");

const own = JSON.parse(fs.readFileSync(path.join(library, "../package.json"), "utf8"));

// Catches a package whose version differs from its library's or the project's.
test("versions agree", () => {
	const header = fs.readFileSync(path.join(root, "include/cprng/cprng.h"), "utf8");
	const version = [...header.matchAll(/^#define CPRNG_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$/gm)].map((found) => found[1]).join(".");
	assert.match(version, /^\d+\.\d+\.\d+$/);
	assert.deepStrictEqual([cprng.version, own.version], [version, version]);
});

// Catches WebAssembly without the notices that the licences of linked code require.
test("the licences of linked code lie beside the WebAssembly", () => {
	const read = (name) => fs.readFileSync(path.join(library, "../c", name));
	const notices = read("embedded.js.licences.txt").toString();
	for (const holder of [/musl as a whole is licensed under/, /Copyright © 2005-2020 Rich Felker/, /Copyright \(c\) .* Nuxi/, /Zig contributors/,
		/wasi-libc as a whole is multi-licensed/, /Permission is hereby granted, free of charge/]) assert.match(notices, holder);
	assert.ok(read("embedded.js").length > 0);
});

// Catches a name that is missing in one of the ways to load the package, or that has no type.
test("require, import and the types have the same names", async () => {
	const names = Object.keys(cprng).sort();
	const module = await import("cprng");
	assert.deepStrictEqual(Object.keys(module).filter((name) => name !== "default").sort(), names);
	for (const name of names) assert.strictEqual(module[name], cprng[name]);
	assert.strictEqual(module.default, cprng);
	const types = fs.readFileSync(path.join(library, "index.d.ts"), "utf8");
	const typed = new Set([...types.matchAll(/^export (?:function|const|class) (\w+)/gm)].map((found) => found[1]));
	assert.deepStrictEqual([...typed].sort(), names);
	const [, body] = types.split("export class Stream {");
	const methods = new Set([...body.matchAll(/^\t(?:static |get )?(\w+)[(<]/gm)].map((found) => found[1]));
	const { Stream } = cprng;
	const defined = [...Object.getOwnPropertyNames(Stream.prototype),
		...Object.getOwnPropertyNames(Stream).filter((name) => typeof Stream[name] === "function")];
	assert.deepStrictEqual([...methods].sort(), defined.sort());
});

// Compilers and Node's types: the oldest and newest of each, and the first in which a Buffer's type tells its memory.
const TYPES = [["typescript-5.0", "@types-18"], ["typescript", "@types"], ["typescript-7", "@types-26"]];

// Catches types that tsc --strict rejects, that reject a correct program or accept a wrong one; bytes that are not a BufferSource.
test("types", { skip: webassembly && "they are those of the addon" }, () => {
	const good = `
		const key: Buffer = cprng.randomBytes(32);
		const die: number = cprng.randomInt(1, 7);
		const big: bigint = cprng.randomBigInt(2n ** 64n);
		const filled: Float64Array = cprng.fillNormal(new Float64Array(3), 1, 2);
		const view: Uint16Array = cprng.getRandomValues(new Uint16Array(4));
		cprng.randomBytes(16, (error, bytes) => console.log(error?.message, bytes.length));
		cprng.randomFill(new Uint8Array(8), 2, 4, (error, buffer) => console.log(error, buffer[0]));
		cprng.randomInt(9, (error, value) => console.log(error, value + 1));
		const order: string[] = cprng.shuffle(["a", "b"]);
		const stream: cprng.Stream = new cprng.Stream("seed", { engine: "chacha20" }).child(3).seek(8n);
		const same: number[] = stream.sample(3, 10);
		const integers: BigInt64Array = stream.fillIntegers(new BigInt64Array(3), -1n, 2n);
		const hit: boolean = cprng.bernoulli(0.5) || cprng.bernoulli(1, 6) || stream.bernoulli(1n, 6n);
		const table: cprng.Weighted = new cprng.Weighted([70, 25n, 5]);
		const colour: number = cprng.choose(table) + stream.choose(table);
		const id: string = cprng.text(21, "abc") + cprng.customAlphabet("abc")() + stream.text(3, "abc") + cprng.randomUUIDv7() + stream.randomUUIDv7(0);
		console.log(hit, colour, id);
		const shared: SharedArrayBuffer = cprng.randomFillSync(new SharedArrayBuffer(8));
		console.log(key, die, big, filled, view, order, same, integers, shared, cprng.info().blockLock, cprng.version);\n`;
	const bad = `import * as cprng from "cprng";
		export const a: string = cprng.randomBytes(32);
		cprng.randomInt("6");
		cprng.bernoulli(1, 6n);
		cprng.choose([1, 2]);
		cprng.getRandomValues(new Float64Array(4));
		cprng.fillIntegers(new BigInt64Array(4), 1, 2);
		new cprng.Stream(1, { engine: "rot13" });
		cprng.randomFill(new Uint8Array(8));\n`;
	const directory = path.join(__dirname, "types.tmp");
	fs.mkdirSync(directory, { recursive: true });
	fs.writeFileSync(path.join(directory, "good.ts"), `import * as cprng from "cprng";\n${good}`);
	fs.writeFileSync(path.join(directory, "old.cts"), `import cprng = require("cprng");\n${good}`);
	fs.writeFileSync(path.join(directory, "new.mts"), `import cprng, { randomUUID, Stream } from "cprng";\n${good.replaceAll(": cprng.Stream", ": Stream")}console.log(randomUUID(), cprng.random());\n`);
	fs.writeFileSync(path.join(directory, "bad.ts"), bad);
	fs.writeFileSync(path.join(directory, "source.mts"), `import { randomBytes, strongBytes, Stream } from "cprng";
		export const sources: BufferSource[] = [randomBytes(3), strongBytes(3), new Stream(1).randomBytes(3), new Stream(1).checkpoint()];\n`);
	for (const [compiler, types] of TYPES) {
		if (compiler === "typescript-7" && process.platform === "win32") continue; // it is a program of the machine that wine runs on
		const { stdout } = spawnSync(process.execPath, [path.join(process.env.CPRNG_TYPES, "..", compiler, "bin/tsc"), "--strict", "--noEmit", "--target",
			"es2022", "--lib", "es2022,dom", "--module", "nodenext", "--types", "node", "--typeRoots", path.join(process.env.CPRNG_TYPES, "..", types),
			"good.ts", "old.cts", "new.mts", "source.mts", "bad.ts"], { encoding: "utf8", cwd: directory });
		const errors = stdout.split("\n").filter((line) => /error TS/.test(line));
		assert.deepStrictEqual(errors.map((line) => line.split(",")[0]), [2, 3, 4, 5, 6, 7, 8, 9].map((line) => `bad.ts(${line}`),
			`${compiler}: ${errors.join("\n")}`);
	}
	fs.rmSync(directory, { recursive: true });
});

// Catches an addon whose symbols bind to another copy of the library in the process.
test("nothing of the library is exported", { skip: webassembly || (process.platform !== "linux" && "it reads ELF") }, () => {
	const addon = path.join(library, "../build/Release/cprng.node");
	const listing = spawnSync("nm", ["-D", "--defined-only", addon], { encoding: "utf8" });
	assert.strictEqual(listing.status, 0, listing.stderr);
	const names = listing.stdout.trim().split("\n").map((line) => line.split(" ").at(-1));
	assert.deepStrictEqual(names.filter((name) => !/^(_init|_fini)$/.test(name)).sort(), ["napi_register_module_v1", "node_api_module_get_api_version_v1"]);
	// The addon uses only Node's stable interface.
	const used = spawnSync("nm", ["-D", "--undefined-only", addon], { encoding: "utf8" }).stdout;
	assert.ok(used.includes(" napi_") && !/ _ZN/.test(used));
});

// Catches an installation without the licence, or with dependencies.
test("licence and dependencies", () => {
	assert.strictEqual(fs.readFileSync(path.join(library, "../LICENSE"), "utf8"), fs.readFileSync(path.join(root, "LICENSE"), "utf8"));
	assert.deepStrictEqual([own.license, own.dependencies], ["BSD-2-Clause", undefined]);
});

// Catches a failing program of the page.
test("programs of the page", () => {
	const text = fs.readFileSync(path.join(root, "docs/node.md"), "utf8");
	const programs = [...text.matchAll(/^```js\n(.*?)^```$/gms)];
	assert.ok(programs.length >= 3);
	for (const [, program] of programs) {
		const run = spawnSync(process.execPath, ["-e", program], { encoding: "utf8", cwd: __dirname });
		assert.strictEqual(run.status, 0, `${program}: ${run.stderr}`);
	}
});

// Catches an internal file that programs can load and depend on.
test("insides are not for programs", () => {
	assert.throws(() => require("cprng/lib/addon.js"), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
});
