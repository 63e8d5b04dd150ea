// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const draws = require("./draws.js");
const { Stream } = require("./stream.js");

// One by one: the names are what index.d.ts and index.mjs have.
module.exports = {
	randomBytes: draws.randomBytes,
	randomFillSync: draws.randomFillSync,
	randomFill: draws.randomFill,
	getRandomValues: draws.getRandomValues,
	randomInt: draws.randomInt,
	randomBigInt: draws.randomBigInt,
	randomUUID: draws.randomUUID,
	random: draws.random,
	normal: draws.normal,
	exponential: draws.exponential,
	fillUint32: draws.fillUint32,
	fillUint64: draws.fillUint64,
	fillFloat: draws.fillFloat,
	fillDouble: draws.fillDouble,
	fillNormal: draws.fillNormal,
	fillExponential: draws.fillExponential,
	fillIntegers: draws.fillIntegers,
	sample: draws.sample,
	shuffle: draws.shuffle,
	strongBytes: draws.strongBytes,
	invalidate: draws.invalidate,
	reseed: draws.reseed,
	info: draws.info,
	version: draws.version,
	Stream,
};
