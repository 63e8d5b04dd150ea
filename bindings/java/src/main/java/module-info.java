// SPDX-License-Identifier: BSD-2-Clause

/** Cryptographic random numbers at the speed of the hardware, and reproducible streams of numbers: a front for the C library. */
module example.cprng {
	exports example.cprng;

	provides java.security.Provider with example.cprng.CprngProvider;
}
