// SPDX-License-Identifier: BSD-2-Clause
//! Draws by the restartable sequences of an architecture.

use super::{cprng_draw_slow_1, cprng_request_slow_1};

/// The frame of the abort code: the return address's column, and the rules (CPRNG_RSEQ_UNWIND of `<cprng/draw.h>`).
macro_rules! unwind {
    ($column:literal, $rules:literal) => {
        concat!(
            ".pushsection .eh_frame,\"a\",@progbits\n",
            ".balign 4\n",
            "32: .long 34f - 33f\n",
            "33: .long 0\n",
            ".byte 1\n",
            ".asciz \"zR\"\n",
            ".byte 1, 0x78, ",
            $column,
            ", 1, 0x1b\n",
            ".byte ",
            $rules,
            "\n",
            "34: .long 36f - 35f\n",
            "35: .long 35b - 32b\n",
            ".long 30b - .\n",
            ".long 31b - 30b\n",
            ".byte 0, 0, 0, 0\n",
            "36:\n",
            ".popsection",
        )
    };
}

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod sequences;

use sequences::copied;
pub use sequences::{fast16, fast32, fast64, fast8};

/// Whether draws are inlined here.
pub const RESTARTABLE: bool = true;

#[cold]
#[inline(never)]
fn slow(bytes: u32) -> u64 {
    // SAFETY: the functions below pass the sizes that it supports.
    unsafe { cprng_draw_slow_1(bytes) }
}

/// Fill `len` bytes at `to`: `cprng_fast`, inlined if the compiler knows a length of up to 64.  Otherwise it calls this
/// function, which is too long to be inlined whole.
///
/// # Safety
/// The bytes are the caller's.
#[inline]
pub unsafe fn fast(to: *mut u8, len: usize) {
    // SAFETY: by the caller's contract.
    unsafe {
        match len {
            1 => to.write(fast8()),
            2 => to.cast::<u16>().write_unaligned(fast16()),
            // In two parts, which overlap: memcpy() would leave the number on the stack.  Little-endian, so that the two
            // agree about the bytes that they share.
            3 | 4 => {
                let number = fast32();
                to.cast::<u16>().write_unaligned((number as u16).to_le());
                to.add(len - 2).cast::<u16>().write_unaligned(((number >> (8 * (len - 2))) as u16).to_le());
            }
            5..=8 => {
                let number = fast64();
                to.cast::<u32>().write_unaligned((number as u32).to_le());
                to.add(len - 4).cast::<u32>().write_unaligned(((number >> (8 * (len - 4))) as u32).to_le());
            }
            9..=64 => copied(to, len),
            _ => cprng_request_slow_1(to.cast(), len),
        }
    }
}
