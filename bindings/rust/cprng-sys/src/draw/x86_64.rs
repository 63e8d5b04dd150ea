// SPDX-License-Identifier: BSD-2-Clause
//! The restartable draw for x86-64 Linux: the sequence of `<cprng/draw_x86_64.h>`, which explains the order of
//! instructions.  One thing differs.  Rust has no output operand for flags, so the sign of `left` replaces the carry
//! flag: below zero after a borrow, and -1 if the buffers are disabled or the sequence was aborted.

use super::super::{cprng_draw, cprng_draw_1, cprng_request_slow_1};
use super::slow;
use core::arch::asm;
use core::mem::offset_of;
use core::sync::atomic::Ordering;

// The kernel reads the descriptor and jumps to the abort code, which directly follows the signature registered by the C
// library.  All three parts refer to each other, so that they stay in a program, or leave it, together.
//
// The result is `left` as the sequence leaves it: below zero if the buffer does not serve the request.
macro_rules! sequence {
    ($d:ident, $buffers:ident, [$($take:expr),* $(,)?], $($operands:tt)*) => {{
        let left: u64;
        asm!(
            ".pushsection __rseq_cs,\"aw?\",@progbits",
            ".balign 32",
            "3:",
            ".long 0, 0",
            ".quad 21f, 2f - 21f, 4f",
            ".popsection",
            "leaq 3b(%rip), %r11",
            "movq %r11, %fs:8({rseq:r})",
            "21:",
            "movl %fs:4({rseq:r}), {left:e}",
            "cmpl {cpus}({d:r}), {left:e}",
            "jae 5f",
            "shlq $12, {left:r}",
            "addq {left:r}, {buffer:r}",
            "movl ({buffer:r}), {left:e}",
            $($take,)*
            "2:",
            "movq $0, %fs:8({rseq:r})",
            ".pushsection .text.cprng_abort,\"ax?\",@progbits",
            "30:",
            ".byte 0x0f, 0xb9, 0x3d",
            ".long 0x53053053",
            "4:",
            "5:",
            "movl $-1, {left:e}",
            "jmp 2b",
            "31:",
            ".popsection",
            unwind!("16", "0x0c, 7, 0, 0x10, 16, 2, 0x7b, 8, 0, 0, 0"),
            rseq = in(reg) $d.rseq_offset.load(Ordering::Relaxed),
            d = in(reg) $d,
            cpus = const offset_of!(cprng_draw, cpus),
            buffer = inout(reg) $buffers => _,
            out("r11") _,
            left = out(reg) left,
            $($operands)*
            options(att_syntax, nostack),
        );
        left as i32
    }};
}

macro_rules! define {
    ($($bits:literal $name:ident $type:ty = $bytes:literal, $load:literal, $store:literal, $value:literal;)*) => {$(
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
                        concat!("subl $", $bytes, ", {left:e}"),
                        "jb 2f",
                        "movl {left:e}, ({buffer:r})",
                        concat!($load, " 64({buffer:r},{left:r}), ", $value),
                        concat!($store, " $0, 64({buffer:r},{left:r})"),
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
    8 fast8 u8 = 1, "movzbl", "movb", "{value:e}";
    16 fast16 u16 = 2, "movzwl", "movw", "{value:e}";
    32 fast32 u32 = 4, "movl", "movl", "{value:e}";
    64 fast64 u64 = 8, "movq", "movq", "{value:r}";
}

// In programs for AVX the VEX forms, which do not wait for dirty upper halves of registers.
#[cfg(target_feature = "avx")]
macro_rules! vex {
    ($name:literal) => {
        concat!("v", $name)
    };
    (zero) => {
        "vpxor %xmm0, %xmm0, %xmm0"
    };
}
#[cfg(not(target_feature = "avx"))]
macro_rules! vex {
    ($name:literal) => {
        $name
    };
    (zero) => {
        "pxor %xmm0, %xmm0"
    };
}

/// Copy the top bytes of the buffer to `to`, and erase them, by instructions at these places of the request.  `left` is
/// lowered first.  An abort after that loses bytes that no thread has seen, and the slow path writes all of them.
macro_rules! copy {
    ($d:ident, $buffers:ident, $to:ident, $len:ident, $name:literal, [$($at:tt),*], $($tail:tt)*) => {
        sequence!(
            $d,
            $buffers,
            [
                "subl {bytes:e}, {left:e}",
                "jb 2f",
                "movl {left:e}, ({buffer:r})",
                "leaq 64({buffer:r},{left:r}), {buffer:r}",
                $(
                    concat!(vex!($name), " ", place!($at, "{buffer:r}"), ", %xmm0"),
                    concat!(vex!($name), " %xmm0, ", place!($at, "{to:r}")),
                )*
                vex!(zero),
                $(concat!(vex!($name), " %xmm0, ", place!($at, "{buffer:r}")),)*
            ],
            to = in(reg) $to,
            bytes = in(reg) $len,
            $($tail)*
            out("xmm0") _,
        )
    };
}

/// A number of bytes from the first instruction's place, or from the last one's.
macro_rules! place {
    ("first", $base:literal) => {
        concat!("(", $base, ")")
    };
    ("first + 16", $base:literal) => {
        concat!("16(", $base, ")")
    };
    ("last", $base:literal) => {
        concat!("(", $base, ",{tail:r})")
    };
    ("last - 16", $base:literal) => {
        concat!("-16(", $base, ",{tail:r})")
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
                copy!(d, buffers, to, len, "movdqu", ["first"],)
            } else if len < 16 {
                copy!(d, buffers, to, len, "movq", ["last", "first"], tail = in(reg) len - 8,)
            } else if len <= 32 {
                copy!(d, buffers, to, len, "movdqu", ["last", "first"], tail = in(reg) len - 16,)
            } else {
                copy!(
                    d, buffers, to, len, "movdqu", ["last", "last - 16", "first + 16", "first"],
                    tail = in(reg) len - 16,
                )
            };
            if left >= 0 {
                return;
            }
        }
        cprng_request_slow_1(to.cast(), len);
    }
}
