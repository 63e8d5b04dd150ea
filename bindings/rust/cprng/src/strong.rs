// SPDX-License-Identifier: BSD-2-Clause

/// The process's Fortuna: for long-lived keys.
///
/// Fortuna (Ferguson, Schneier and Kohno, "Cryptography Engineering", chapter 9) gathers entropy from the kernel, instructions
/// and timing of the CPU, and the application ([`add_entropy`](crate::add_entropy)) in 32 pools.  It recovers from a disclosure
/// of its state even if an attacker controls most of the sources.
///
/// An empty handle; the rand_core traits are those of [`Cprng`](crate::Cprng).
///
/// # Examples
/// ```
/// let mut master_key = [0u8; 32];
/// cprng::Strong.fill_bytes(&mut master_key);
/// assert_ne!(master_key, [0; 32]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Strong; // for rand 0.9 the crate cprng needs the feature rand_core_09, for rand 0.8 rand_core_06

impl Strong {
    /// Fill `buf` with random bytes.
    ///
    /// # Examples
    /// ```
    /// let mut salt = [0u8; 16];
    /// cprng::Strong.fill_bytes(&mut salt);
    /// # assert_ne!(salt, [0; 16]);
    /// ```
    pub fn fill_bytes(self, buf: &mut [u8]) {
        // SAFETY: the bytes are the slice's.
        unsafe { cprng_sys::cprng_strong(buf.as_mut_ptr().cast(), buf.len()) }
    }

    /// Return an array of random bytes.
    ///
    /// # Examples
    /// ```
    /// let master_key: [u8; 32] = cprng::Strong.bytes();
    /// # assert_ne!(master_key, [0; 32]);
    /// ```
    pub fn bytes<const SIZE: usize>(self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        self.fill_bytes(&mut bytes);
        bytes
    }

    /// Choose whether readers generate under Fortuna's lock, one after the other, as in the book, or (the default)
    /// outside it, concurrently.  A locked read releases it after each page of 4 KiB.
    ///
    /// # Examples
    /// ```
    /// cprng::Strong.set_locked_reads(true);
    /// assert!(cprng::strong_info().locked_reads);
    /// # cprng::Strong.set_locked_reads(false);
    /// ```
    pub fn set_locked_reads(self, on: bool) {
        cprng_sys::cprng_strong_set_locked_reads(on.into());
    }
}
