// SPDX-License-Identifier: BSD-2-Clause
//! The traits of rand_core 0.9 and 0.6.

macro_rules! generators {
    ($core:ident) => {
        use cprng::{Cprng, Stream, Strong};
        use $core::{CryptoRng, RngCore, SeedableRng};

        fn draws(mut rng: impl RngCore) -> ([u8; 16], u32, u64) {
            let mut bytes = [0; 16];
            rng.fill_bytes(&mut bytes);
            (bytes, rng.next_u32(), rng.next_u64())
        }

        #[allow(clippy::implied_bounds_in_impls)] // in 0.6 it is not
        fn secret(rng: impl RngCore + CryptoRng) -> [u8; 16] {
            draws(rng).0
        }

        /// Catches a missing trait of this version, or one that leaves bytes unwritten.
        #[test]
        fn generators_draw() {
            assert_ne!(secret(Cprng), secret(Cprng)); // odds of 2^-128
            assert_ne!(secret(Strong), secret(Strong));
        }

        /// Catches a stream whose numbers differ under this version.
        #[test]
        fn streams_are_the_same() {
            let mut plain = Stream::new(42);
            let mut bytes = [0; 16];
            plain.fill_bytes(&mut bytes);
            assert_eq!(draws(Stream::seed_from_u64(42)), (bytes, plain.u32(), plain.u64()));
            assert_eq!(Stream::from_seed([9; 32]).save(), Stream::from_bytes(cprng::Engine::default(), &[9; 32]).unwrap().save());
        }
    };
}

#[cfg(feature = "rand_core_09")]
mod version_09 {
    generators!(rand_core_09);
}

#[cfg(feature = "rand_core_06")]
mod version_06 {
    generators!(rand_core_06);

    /// Catches a fallible fill that does nothing.
    #[test]
    fn fallible_fills_fill() {
        let mut bytes = [0; 16];
        Cprng.try_fill_bytes(&mut bytes).unwrap();
        assert_ne!(bytes, [0; 16]); // odds of 2^-128
    }
}
