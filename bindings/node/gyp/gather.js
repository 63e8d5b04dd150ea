// SPDX-License-Identifier: BSD-2-Clause
// Before `npm pack`: copy the C library and the licence into the package, and compile the library to WebAssembly with zig, which
// comes from PyPI as for tests/system/port; esbuild, of package-lock.json, joins the files for browsers.  If CPRNG_NODE_OTHERS is set,
// also compile the addons for Windows and macOS.
// gather.js --remove: remove all of these.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const here = path.dirname(__dirname);
const root = path.resolve(here, "../..");

/** Write the licences of zig, and of the C library that zig links, beside a file of c/. */
function writeLicences(name, zig, files) {
	const texts = ["LICENSE", ...files.map((file) => `lib/libc/${file}`)]
		.map((file) => `---- ${file} of zig\n\n${fs.readFileSync(path.join(path.dirname(zig), "ziglang", file), "utf8")}`);
	fs.writeFileSync(path.join(c, `${name}.licences.txt`), texts.join("\n"));
}

const work = path.join(root, "build/port");
const sources = ["addon", "block", "calls", "draws"].map((name) => `native/${name}.c`);

function run(...words) {
	execFileSync(words[0], words.slice(1), { cwd: here, stdio: "inherit" });
}

function findZig() {
	fs.mkdirSync(work, { recursive: true });
	return execFileSync(path.join(root, "tests/system/port/zig"), { encoding: "utf8" }).trim();
}

/**
 * Write c/cprng.wasm and c/embedded.js: the library as WebAssembly, which exports the table of native/calls.c, its version and its memory
 * layout.  Also write the licences of the code that zig links.  The format is hexadecimal, because bundlers join only JavaScript, and
 * because compression finds repeated bytes in it, which base64 hides: the result has a fifth less.
 */
async function compileWebAssembly() {
	const zig = findZig();
	const names = ["__stack_pointer", "malloc", "free", "cprng_version", "cprng_wasm_layout"];
	run(zig, "cc", "-target", "wasm32-wasi", "-mexec-model=reactor", "-std=gnu11", "-O2", "-msimd128", "-Wall", "-Wextra", "-Ic",
		"c/cprng/cprng.c", "native/calls.c", "native/wasm.c", ...names.map((name) => `-Wl,--export=${name}`), "-Wl,--export-table", "-Wl,--strip-all", "-o", `${work}/cprng.wasm`);
	const bytes = fs.readFileSync(`${work}/cprng.wasm`);
	const module = new WebAssembly.Module(bytes);
	const none = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]));
	const { exports: library } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: none });
	library._initialize();
	const [version] = Buffer.from(library.memory.buffer, library.cprng_version(), 32).toString("latin1").split("\0");
	const layout = [...new Uint32Array(library.memory.buffer, library.cprng_wasm_layout(), 10)];
	const embedded = JSON.stringify({ version, layout, hex: bytes.toString("hex") });
	fs.writeFileSync(path.join(c, "embedded.js"), `// SPDX-License-Identifier: BSD-2-Clause\n"use strict";\nmodule.exports = ${embedded};\n`);
	fs.writeFileSync(path.join(c, "cprng.wasm"), bytes);
	writeLicences("embedded.js", zig, ["LICENSE", "LICENSE-MIT", "libc-bottom-half/cloudlibc/LICENSE", "libc-top-half/musl/COPYRIGHT"].map((file) => `wasi/${file}`));
	await joinForBrowsers(embedded, version, layout);
}

/** Compile the addon for another system: c/NAME.node. */
function compileFor(name, zig, target, options, licences) {
	const include = path.resolve(fs.realpathSync(process.execPath), "../../include/node");
	run(zig, "cc", "-target", target, "-shared", "-s", "-std=gnu11", "-O2", "-fvisibility=hidden", "-DCPRNG_VISIBILITY=hidden", "-Wall", "-Wextra",
		"-Wno-attributes", "-Ic", "-isystem", include, "c/cprng/cprng.c", ...sources, ...options, "-o", `c/${name}.node`);
	fs.chmodSync(path.join(c, `${name}.node`), 0o644);
	writeLicences(`${name}.node`, zig, licences);
}

/** Compile the addons for Windows, whose only compiler in node-gyp rejects GNU C, and for macOS, where users may have none. */
function compileOthers() {
	const zig = findZig();
	const used = sources.flatMap((file) => fs.readFileSync(path.join(here, file), "utf8").match(/\bnapi_\w+(?=\()/g) ?? []);
	fs.writeFileSync(`${work}/node.def`, ["LIBRARY node.exe", "EXPORTS", ...new Set(used), ""].join("\n"));
	run(zig, "dlltool", "-m", "i386:x86-64", "-d", `${work}/node.def`, "-l", `${work}/node.lib`);
	compileFor("win32-x64", zig, "x86_64-windows-gnu", ["-masm=att", "-fcf-protection=full", `${work}/node.lib`, "-ladvapi32"], ["mingw/COPYING"]);
	fs.rmSync(path.join(c, "cprng.lib"));
	for (const [name, machine] of [["darwin-x64", "x86_64"], ["darwin-arm64", "aarch64"]])
		compileFor(name, zig, `${machine}-macos.11.0`, ["-undefined", "dynamic_lookup"], []);
}

function findEsbuild() {
	const home = path.join(work, "esbuild");
	const lock = path.join(home, "package-lock.json");
	const own = fs.readFileSync(path.join(here, "package-lock.json"));
	if (!fs.existsSync(lock) || !own.equals(fs.readFileSync(lock))) {
		fs.rmSync(home, { recursive: true, force: true });
		fs.mkdirSync(home);
		fs.copyFileSync(path.join(here, "package.json"), path.join(home, "package.json"));
		fs.copyFileSync(path.join(here, "package-lock.json"), path.join(home, "lock"));
		fs.renameSync(path.join(home, "lock"), lock);
		execFileSync("npm", ["ci", "--silent", "--ignore-scripts", "--prefer-offline"], { cwd: home, stdio: "inherit" });
	}
	return require(path.join(home, "node_modules/esbuild-wasm"));
}

/** Write the files for browsers: lib/ in one file, for import, for require, and for workerd, which compiles no WebAssembly at run time. */
async function joinForBrowsers(embedded, version, layout) {
	const { build } = findEsbuild();
	const rest = JSON.stringify({ version, layout });
	for (const [name, format, contents] of [
		["browser.mjs", "esm", `module.exports = ${embedded};`], ["browser.js", "cjs", 'module.exports = require("./embedded.js");'],
		["workerd.mjs", "esm", `export { default as module } from "./cprng.wasm"; export const { version, layout } = ${rest};`],
	]) {
		const plugin = {
			name: "cprng",
			setup(build) {
				build.onResolve({ filter: /^\.\/addon\.js$/ }, () => ({ path: path.join(here, "gyp/browser-addon.js") }));
				build.onResolve({ filter: /^node:util$/ }, () => ({ path: path.join(here, "gyp/browser.mjs") }));
				build.onResolve({ filter: /^cprng:embedded$/ }, () => ({ path: "embedded", namespace: "cprng" }));
				build.onResolve({ filter: /embedded\.js$|\.wasm$/ }, (found) => ({ path: found.path, external: true }));
				build.onLoad({ filter: /./, namespace: "cprng" }, () => ({ contents }));
			},
		};
		await build({
			absWorkingDir: here, entryPoints: [`lib/index.${format === "cjs" ? "js" : "mjs"}`], bundle: true, format, platform: "neutral",
			target: "es2022", inject: ["gyp/browser.mjs"], plugins: [plugin], outfile: `c/${name}`, minifyWhitespace: true, minifySyntax: true, charset: "utf8",
			banner: { js: "// SPDX-License-Identifier: BSD-2-Clause" }, logLevel: "warning",
		});
	}
}

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
	if (process.env.CPRNG_NODE_OTHERS) compileOthers();
	compileWebAssembly().catch((error) => {
		// Without Python's venv or a network, zig and esbuild cannot be installed.
		console.error(`cprng: the package lacks WebAssembly, by zig, or the files for browsers, by esbuild: ${error.message}`);
	});
}
