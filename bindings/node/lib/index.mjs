// SPDX-License-Identifier: BSD-2-Clause
import cprng from "./index.js";

export const {
	randomBytes, randomFillSync, randomFill, getRandomValues, randomInt, randomBigInt, randomUUID, randomUUIDv7, random, normal, exponential,
	bernoulli, choose, text, customAlphabet, Weighted,
	fillUint32, fillUint64, fillFloat, fillDouble, fillNormal, fillExponential, fillIntegers, sample, shuffle, strongBytes,
	invalidate, reseed, info, version, Stream,
} = cprng;
export default cprng;
