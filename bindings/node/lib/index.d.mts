// SPDX-License-Identifier: BSD-2-Clause
export * from "./index.js";
import * as cprng from "./index.js";
export default cprng;
