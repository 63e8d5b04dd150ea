// SPDX-License-Identifier: BSD-2-Clause

/** Cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers: a front for the C library. */
module io.github.cprng {
	exports io.github.cprng;

	provides java.security.Provider with io.github.cprng.CprngProvider;
}
