// SPDX-License-Identifier: BSD-2-Clause
"use strict";

// Kinds of numbers, in the order of enum number_kind (native/calls.h).
const KINDS = { uint32: 0, uint64: 1, float: 2, double: 3, normal: 4, exponential: 5 };

module.exports = { KINDS };
