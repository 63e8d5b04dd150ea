// SPDX-License-Identifier: BSD-2-Clause
"use strict";
const { checkedSize, pieceOf, MOST_BYTES, ...functions } = require("./draws.js"); // the first three are for stream.js
const { Stream } = require("./stream.js");

module.exports = { ...functions, Stream };
