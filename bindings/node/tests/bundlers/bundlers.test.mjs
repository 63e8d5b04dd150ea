// SPDX-License-Identifier: BSD-2-Clause
// The package in bundlers and development servers, each with its usual settings, and in Jest.
import assert from "node:assert";
import { spawnSync } from "node:child_process";
import { webcrypto } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import vm from "node:vm";

const here = import.meta.dirname;
const directory = path.join(here, "made.tmp");
fs.rmSync(directory, { recursive: true, force: true });
fs.mkdirSync(directory);

const PROGRAM = "globalThis.result = [cprng.randomUUID(), new cprng.Stream(`42 \u00e9`).normal(170, 10).toFixed(2), cprng.info().form, cprng.info().reason]";
const IMPORT = file("import.mjs", `import * as cprng from "cprng";\n${PROGRAM};\n`);
const REQUIRE = file("require.cjs", `const cprng = require("cprng");\n${PROGRAM};\n`);
const BOTH = [IMPORT, REQUIRE];

function file(name, text) {
	fs.writeFileSync(path.join(directory, name), text);
	return path.join(directory, name);
}

function check([uuid, normal, form, reason], expected = /^a browser has no addons$/) {
	assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	assert.deepStrictEqual([normal, form], ["171.24", "webassembly"]);
	assert.match(reason, expected);
}

/** Run a script, or a module without imports, with only the globals of browsers. */
function checkInBrowser(code) {
	const link = { relList: { supports: () => true } }; // for Vite's preloads
	const context = vm.createContext({ crypto: webcrypto, atob, queueMicrotask, setTimeout, DOMException, document: { createElement: () => link } });
	vm.runInContext(code, context);
	check(context.result);
}

function checkInNode(bundle) {
	const run = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(bundle)}); console.log(JSON.stringify(result))`], { encoding: "utf8", cwd: "/" });
	assert.strictEqual(run.status, 0, run.stderr);
	check(JSON.parse(run.stdout), /^a bundle has no addon/);
}

// Catches a module that esbuild cannot put into its usual bundles, or whose bundle lacks a part.
test("esbuild", async () => {
	const { build } = await import("esbuild");
	for (const [entry, format] of [[IMPORT, "iife"], [IMPORT, "esm"], [REQUIRE, "iife"]]) {
		const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format, target: "es2020", write: false, logLevel: "silent" });
		assert.strictEqual(outputFiles.length, 1);
		checkInBrowser(outputFiles[0].text);
	}
});

// Catches a wrong reason, and a bundle for Node that lacks the library.
test("esbuild for Node", async () => {
	const { build } = await import("esbuild");
	const outfile = path.join(directory, "esbuild.cjs");
	await build({ entryPoints: [REQUIRE], bundle: true, platform: "node", outfile, logLevel: "silent" });
	checkInNode(outfile);
});

for (const name of ["vite-6", "vite"]) {
	const root = path.join(directory, name);
	fs.mkdirSync(root);
	file(`${name}/index.html`, '<script type="module" src="./main.js"></script>');
	file(`${name}/main.js`, fs.readFileSync(IMPORT, "utf8"));

	// Catches a module that cannot be built for Vite's default browsers.
	test(`${name}, build`, async () => {
		const { build } = await import(name);
		await build({ root, configFile: false, logLevel: "silent" });
		const [script] = fs.readdirSync(path.join(root, "dist/assets"));
		checkInBrowser(fs.readFileSync(path.join(root, "dist/assets", script), "utf8"));
	});

	// Catches a module that the development server does not prepare for the browser.
	test(`${name}, server`, async () => {
		const { createServer } = await import(name);
		const server = await createServer({ root, configFile: false, logLevel: "silent", server: { host: "127.0.0.1", port: 0, ws: false, hmr: false } });
		try {
			await server.listen();
			const { port } = server.httpServer.address();
			const text = async (url) => (await fetch(`http://127.0.0.1:${port}${url}`)).text();
			const [, url] = (await text("/main.js")).match(/from "([^"]*cprng[^"]*)"/);
			const prepared = await text(url);
			assert.ok(!/^import /m.test(prepared), prepared.slice(0, 1000));
			const cprng = await import(file(`${name}/prepared.mjs`, prepared));
			check([cprng.randomUUID(), new cprng.Stream("42 \u00e9").normal(170, 10).toFixed(2), cprng.info().form, cprng.info().reason]);
		} finally {
			await server.close();
		}
	});
}

async function webpackTo(entry, target) {
	const { default: webpack } = await import("webpack");
	const name = `webpack-${target}-${path.basename(entry)}.js`;
	const stats = await new Promise((resolve, reject) => {
		webpack({ mode: "production", target, entry, output: { path: directory, filename: name } }, (error, made) => (error ? reject(error) : resolve(made)));
	});
	assert.deepStrictEqual(stats.toJson().errors.map((error) => error.message), []);
	return path.join(directory, name);
}

// Catches a module that webpack cannot put into bundles, or whose bundle loads other files.
test("webpack", async () => {
	for (const entry of BOTH) checkInBrowser(fs.readFileSync(await webpackTo(entry, "web"), "utf8"));
	for (const entry of BOTH) checkInNode(await webpackTo(entry, "node"));
});

// Catches a module that Rollup cannot put into bundles.
test("Rollup", async () => {
	const [{ rollup }, { default: resolve }, { default: commonjs }] = await Promise.all(
		["rollup", "@rollup/plugin-node-resolve", "@rollup/plugin-commonjs"].map((name) => import(name)));
	for (const input of BOTH) {
		const bundle = await rollup({ input, plugins: [resolve({ browser: true }), commonjs()], onLog: () => {} });
		const { output } = await bundle.generate({ format: "iife", name: "made" });
		assert.strictEqual(output.length, 1);
		checkInBrowser(output[0].code);
	}
});

// Catches a form of the package that Jest cannot load, with the globals of Node or of a browser.
test("Jest", () => {
	file("package.json", "{}");
	file("jest.test.js", `test("cprng", () => {
		const cprng = require("cprng");
		${PROGRAM};
		expect(result[0]).toMatch(/^[0-9a-f-]{36}$/);
		expect(result[1]).toBe("171.24");
		expect(cprng.getRandomValues(new Uint8Array(40)).some((byte) => byte !== 0)).toBe(true);
		expect(cprng.fillNormal(new Float64Array(3)).every((x) => x !== 0)).toBe(true);
	});\n`);
	for (const environment of ["node", "jsdom"]) {
		const run = spawnSync(process.execPath, [path.join(here, "node_modules/jest/bin/jest.js"), "--ci", "--no-watchman", "--no-cache", "--runInBand",
			"--rootDir", directory, "--env", environment], { encoding: "utf8", cwd: directory });
		assert.strictEqual(run.status, 0, `${environment}: ${run.stderr}`);
	}
});
