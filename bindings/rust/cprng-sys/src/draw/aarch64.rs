// SPDX-License-Identifier: BSD-2-Clause
//! The restartable draw for AArch64 Linux: the sequence of `<cprng/draw_aarch64.h>`; `<cprng/draw_x86_64.h>` explains the
//! order of instructions, and `x86_64.rs` what Rust does otherwise.

use super::super::{cprng_draw, cprng_draw_1, cprng_request_slow_1};
use super::slow;
use core::arch::asm;
use core::mem::offset_of;
use core::sync::atomic::Ordering;

// The result is `left` as the sequence leaves it: below zero if the buffer does not serve the request.
macro_rules! sequence {
    ($d:ident, $buffers:ident, [$($take:expr),* $(,)?], $($operands:tt)*) => {{
        let left: u64;
        asm!(
            ".pushsection __rseq_cs,\"aw?\",@progbits",
            ".balign 32",
            "3:",
            ".word 0, 0",
            ".quad 21f, 2f - 21f, 4f",
            ".popsection",
            "adrp x17, 3b",
            "add x17, x17, :lo12:3b",
            "mrs {area}, tpidr_el0",
            "add {area}, {area}, {rseq}",
            "str x17, [{area}, #8]",
            "21:",
            "ldr {cpu:w}, [{area}, #4]",
            // With acquire, so that the buffer is read afterwards.
            "ldar {left:w}, [{cpus}]",
            "cmp {cpu:w}, {left:w}",
            "mov {left:w}, #-1",
            "b.hs 2f",
            "add {buffer}, {buffer}, {cpu}, lsl #12",
            "ldr {left:w}, [{buffer}]",
            $($take,)*
            "2:",
            "str xzr, [{area}, #8]",
            // RSEQ_SIG on AArch64: an instruction, little-endian whatever the order of data.
            ".pushsection .text.cprng_abort,\"ax?\",@progbits",
            "30:",
            ".inst 0xd428bc00",
            "4:",
            "mov {left:w}, #-1",
            "b 2b",
            "31:",
            ".popsection",
            unwind!("32", "0x0c, 31, 0, 0x16, 32, 3, 0x81, 8, 0x06, 0, 0"),
            rseq = in(reg) $d.rseq_offset.load(Ordering::Relaxed),
            cpus = in(reg) core::ptr::from_ref($d).cast::<u8>().add(offset_of!(cprng_draw, cpus)),
            buffer = inout(reg) $buffers => _,
            cpu = out(reg) _,
            out("x17") _,
            area = out(reg) _,
            left = out(reg) left,
            $($operands)*
            options(nostack),
        );
        left as i32
    }};
}

macro_rules! define {
    ($($bits:literal $name:ident $type:ty = $bytes:literal, $load:literal, $store:literal, $value:literal, $zero:literal;)*) => {$(
        #[doc = concat!("Return a uniform integer of ", $bits, " bits: `cprng_fast", $bits, "`, inlined.")]
        #[inline]
        pub fn $name() -> $type {
            // SAFETY: it has the layout of <cprng/draw.h>, and only atomic accesses.
            let d: &cprng_draw = unsafe { &cprng_draw_1 };
            let buffers = d.buffers.load(Ordering::Acquire);
            if buffers.is_null() {
                return slow($bytes) as $type;
            }
            let value: u64;
            // SAFETY: the sequence writes and then clears the thread's rseq_cs, and writes its CPU's buffer, which no
            // Rust object shares.  After an abort it refuses.
            let left = unsafe {
                sequence!(
                    d,
                    buffers,
                    [
                        concat!("subs {left:w}, {left:w}, #", $bytes),
                        "b.lo 2f",
                        "str {left:w}, [{buffer}], #64",
                        concat!($load, " ", $value, ", [{buffer}, {left}]"),
                        concat!($store, " ", $zero, ", [{buffer}, {left}]"),
                    ],
                    value = out(reg) value,
                )
            };
            if left < 0 {
                return slow($bytes) as $type;
            }
            value as $type
        }
    )*};
}

define! {
    8 fast8 u8 = 1, "ldrb", "strb", "{value:w}", "wzr";
    16 fast16 u16 = 2, "ldrh", "strh", "{value:w}", "wzr";
    32 fast32 u32 = 4, "ldr", "str", "{value:w}", "wzr";
    64 fast64 u64 = 8, "ldr", "str", "{value}", "xzr";
}

/// Copy the top bytes of the buffer to `to`, and erase them.  `left` is lowered first, as in a number's sequence.
macro_rules! copy {
    ($d:ident, $buffers:ident, $to:ident, $len:ident, [$($step:expr),* $(,)?], $($tail:tt)*) => {
        sequence!(
            $d,
            $buffers,
            [
                "subs {left:w}, {left:w}, {bytes:w}",
                "b.lo 2f",
                "str {left:w}, [{buffer}], #64",
                "add {buffer}, {buffer}, {left}",
                $($step,)*
            ],
            to = in(reg) $to,
            bytes = in(reg) $len,
            $($tail)*
            out("v31") _,
        )
    };
}

/// Write 9 to 64 random bytes by one sequence.
///
/// # Safety
/// The bytes are the caller's.
#[inline]
pub unsafe fn copied(to: *mut u8, len: usize) {
    // SAFETY: as above; the sequence writes `len` bytes at `to` as well.
    unsafe {
        let d: &cprng_draw = &cprng_draw_1;
        let buffers = d.buffers.load(Ordering::Acquire);
        if !buffers.is_null() {
            let left = if len == 16 {
                copy!(d, buffers, to, len, ["ldr q31, [{buffer}]", "str q31, [{to}]", "movi v31.2d, #0", "str q31, [{buffer}]"],)
            } else if len < 16 {
                copy!(
                    d, buffers, to, len,
                    [
                        "ldr d31, [{buffer}, {tail}]", "str d31, [{to}, {tail}]",
                        "ldr d31, [{buffer}]", "str d31, [{to}]",
                        "movi v31.2d, #0",
                        "str d31, [{buffer}, {tail}]", "str d31, [{buffer}]",
                    ],
                    tail = in(reg) len - 8,
                )
            } else if len <= 32 {
                copy!(
                    d, buffers, to, len,
                    [
                        "ldr q31, [{buffer}, {tail}]", "str q31, [{to}, {tail}]",
                        "ldr q31, [{buffer}]", "str q31, [{to}]",
                        "movi v31.2d, #0",
                        "str q31, [{buffer}, {tail}]", "str q31, [{buffer}]",
                    ],
                    tail = in(reg) len - 16,
                )
            } else {
                copy!(
                    d, buffers, to, len,
                    [
                        "add {at}, {buffer}, {tail}", "ldp q30, q31, [{at}]",
                        "add {at}, {to}, {tail}", "stp q30, q31, [{at}]",
                        "ldp q30, q31, [{buffer}]", "stp q30, q31, [{to}]",
                        "movi v31.2d, #0", "movi v30.2d, #0",
                        "stp q30, q31, [{buffer}]",
                        "add {at}, {buffer}, {tail}", "stp q30, q31, [{at}]",
                    ],
                    tail = in(reg) len - 32,
                    at = out(reg) _,
                    out("v30") _,
                )
            };
            if left >= 0 {
                return;
            }
        }
        cprng_request_slow_1(to.cast(), len);
    }
}
