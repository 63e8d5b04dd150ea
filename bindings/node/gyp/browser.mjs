// SPDX-License-Identifier: BSD-2-Clause
// The beginning of c/browser.mjs and c/browser.js, the package for browsers: the parts of Node that lib/ needs.  gather.js appends
// lib/ and prepends `embedded`, the library as WebAssembly.

const tagOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const nameOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const typed = ["Uint8Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float32Array", "Float64Array"];
const types = {
	...Object.fromEntries(typed.map((name) => [`is${name}`, (value) => tagOf.call(value) === name])),
	isDataView: (value) => ArrayBuffer.isView(value) && tagOf.call(value) === undefined,
	isSharedArrayBuffer: (value) => nameOf(value) === "SharedArrayBuffer",
	isAnyArrayBuffer: (value) => /^(Shared)?ArrayBuffer$/.test(nameOf(value)),
};

function inspect(value) {
	if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
	return value instanceof Object ? `[${nameOf(value)}]` : String(value);
}
inspect.custom = Symbol.for("nodejs.util.inspect.custom");

const Buffer = {
	alloc: (size) => new Uint8Array(size),
	allocUnsafeSlow: (size) => new Uint8Array(size),
	// Jest's jsdom lacks TextEncoder, but the escapes of encodeURIComponent are the bytes of UTF-8.
	from: (text) => Uint8Array.from(encodeURIComponent(text).replace(/%(..)/g, (_, byte) => String.fromCharCode(`0x${byte}`)), (char) => char.charCodeAt(0)),
};
const process = { nextTick: (call, ...given) => queueMicrotask(() => call(...given)) };
const setImmediate = (call, ...given) => setTimeout(call, 0, ...given);

const QUOTA = 65536; // getRandomValues' limit; it also refuses shared memory
function fillRandom(bytes) {
	const shared = types.isSharedArrayBuffer(bytes.buffer);
	for (let at = 0; at < bytes.length; at += QUOTA) {
		const piece = bytes.subarray(at, at + QUOTA);
		if (shared) {
			const own = crypto.getRandomValues(new Uint8Array(piece.length));
			piece.set(own);
			own.fill(0);
		} else crypto.getRandomValues(piece);
	}
}

const about = { form: "webassembly", reason: "a browser has no addons", engine: "crypto", entropy: "getRandomValues" };

const modules = { "node:util": { inspect, types } };

function load(name) {
	if (name === "./addon.js") return need("./wasm.js").addonOf(embedded, fillRandom, about);
	const module = { exports: {} };
	files[name](module, need);
	return module.exports;
}

function need(name) {
	return (modules[name] ??= load(name));
}
