// SPDX-License-Identifier: BSD-2-Clause

/** Cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers, from the C library cprng. */
module io.github.cprng {
	requires static org.apache.commons.rng.api;

	exports io.github.cprng;

	provides java.security.Provider with io.github.cprng.CprngProvider;
}
