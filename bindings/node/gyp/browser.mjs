// SPDX-License-Identifier: BSD-2-Clause
// The parts of Node that lib/ needs, for browsers: esbuild puts them into the files that gather.js makes, also as node:util.

const tagOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const nameOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const typed = ["Uint8Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float32Array", "Float64Array"];
export const types = {
	...Object.fromEntries(typed.map((name) => [`is${name}`, (value) => tagOf.call(value) === name])),
	isDataView: (value) => ArrayBuffer.isView(value) && tagOf.call(value) === undefined,
	isSharedArrayBuffer: (value) => nameOf(value) === "SharedArrayBuffer",
	isAnyArrayBuffer: (value) => /^(Shared)?ArrayBuffer$/.test(nameOf(value)),
};

export function inspect(value) {
	if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
	return value instanceof Object ? `[${nameOf(value)}]` : String(value);
}
inspect.custom = Symbol.for("nodejs.util.inspect.custom");

export const Buffer = {
	alloc: (size) => new Uint8Array(size),
	allocUnsafeSlow: (size) => new Uint8Array(size),
	// Jest's jsdom lacks TextEncoder, but the escapes of encodeURIComponent are the bytes of UTF-8.
	from: (text) => Uint8Array.from(encodeURIComponent(text).replace(/%(..)/g, (_, byte) => String.fromCharCode(`0x${byte}`)), (char) => char.charCodeAt(0)),
};
export const process = { nextTick: (call, ...given) => queueMicrotask(() => call(...given)) };
export const setImmediate = (call, ...given) => setTimeout(call, 0, ...given);
