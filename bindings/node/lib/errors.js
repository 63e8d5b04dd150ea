// SPDX-License-Identifier: BSD-2-Clause
// Errors like Node's own: a TypeError or RangeError with a code, and the argument's name in the message.
"use strict";
const { inspect, types } = require("node:util");

function coded(Type, code, message) {
	return Object.assign(new Type(message), { code });
}

const shown = (value) => inspect(value, { depth: -1, maxStringLength: 40 });

function wrongType(name, wanted, value) {
	return coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be ${wanted}. Received ${shown(value)}`);
}

function wrongValue(name, wanted, value) {
	return coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${name}' must be ${wanted}. Received ${shown(value)}`);
}

function outOfRange(name, wanted, value) {
	return coded(RangeError, "ERR_OUT_OF_RANGE", `The value of "${name}" is out of range. It must be ${wanted}. Received ${shown(value)}`);
}

function checkFunction(name, value) {
	if (typeof value !== "function") throw wrongType(name, "of type function", value);
}

function checkSafe(name, value) {
	if (!Number.isSafeInteger(value)) throw wrongType(name, "a safe integer", value);
}

function checkFinite(name, value, least) {
	if (typeof value !== "number") throw wrongType(name, "of type number", value);
	if (!Number.isFinite(value) || value < least) throw outOfRange(name, least === 0 ? "finite and >= 0" : "finite", value);
}

/** A number or BigInt in [least, most], as a BigInt. */
function checkBig(name, value, least, most) {
	if (typeof value !== "bigint" && typeof value !== "number") throw wrongType(name, "of type number or bigint", value);
	if (typeof value === "number" && !Number.isSafeInteger(value)) throw outOfRange(name, "a safe integer, or a bigint", value);
	const big = BigInt(value);
	if (big < least || big > most) throw outOfRange(name, `>= ${least} and <= ${most}`, value);
	return big;
}

/** A Uint8Array over all bytes of an array, a DataView, an ArrayBuffer or a SharedArrayBuffer. */
function bytesOf(name, value) {
	if (types.isUint8Array(value)) return value;
	if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	if (types.isAnyArrayBuffer(value)) return new Uint8Array(value);
	throw wrongType(name, "an ArrayBuffer, a SharedArrayBuffer, or a view of one", value);
}

module.exports = { coded, wrongType, wrongValue, outOfRange, checkFunction, checkSafe, checkFinite, checkBig, bytesOf };
