// SPDX-License-Identifier: BSD-2-Clause
"use strict";

module.exports = require("../build/Release/cprng.node");
