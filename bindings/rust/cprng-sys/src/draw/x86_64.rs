// SPDX-License-Identifier: BSD-2-Clause
//! The restartable draw for x86-64 Linux: the sequence of `<cprng/draw_x86_64.h>`, which explains the order of
//! instructions.  One thing differs.  Rust has no output operand for flags, so the sign of `left` replaces the carry
//! flag: below zero after a borrow, and -1 if the buffers are disabled.

use super::{cprng_draw, cprng_draw_1, cprng_draw_slow_1};
use core::arch::asm;
use core::mem::offset_of;
use core::sync::atomic::Ordering;

/// Whether draws are inlined here.
pub const RESTARTABLE: bool = true;

// The kernel reads the descriptor and jumps to the abort code, which directly follows the signature registered by the C
// library.  All three parts refer to each other, so that they stay in a program, or leave it, together.
macro_rules! define {
    ($(#[$doc:meta])* $name:ident, $type:ty, $bytes:literal, $load:literal, $store:literal, $value:literal) => {
        $(#[$doc])*
        #[inline]
        pub fn $name() -> $type {
            // SAFETY: it has the layout of <cprng/draw.h>, and only atomic accesses.
            let d: &cprng_draw = unsafe { &cprng_draw_1 };
            let buffers = d.buffers.load(Ordering::Acquire);
            if buffers.is_null() {
                return slow($bytes) as $type;
            }
            let (left, value): (u64, u64);
            // SAFETY: the sequence writes and then clears the thread's rseq_cs, and writes its CPU's buffer, which no
            // Rust object shares.  It may restart any number of times, since it writes no input.
            unsafe {
                asm!(
                    ".pushsection __rseq_cs,\"aw?\",@progbits",
                    ".balign 32",
                    "3:",
                    ".long 0, 0",
                    ".quad 21f, 2f - 21f, 4f",
                    ".popsection",
                    "20:",
                    "leaq 3b(%rip), {buffer:r}",
                    "movq {buffer:r}, %fs:8({rseq:r})",
                    "21:",
                    "movl %fs:4({rseq:r}), {buffer:e}",
                    "cmpl {cpus}({d:r}), {buffer:e}",
                    "jae 5f",
                    "shlq $12, {buffer:r}",
                    "addq {buffers:r}, {buffer:r}",
                    "movl ({buffer:r}), {left:e}",
                    concat!("subl $", $bytes, ", {left:e}"),
                    "jb 2f",
                    concat!($load, " 64({buffer:r},{left:r}), ", $value),
                    "movl {left:e}, ({buffer:r})",
                    concat!($store, " $0, 64({buffer:r},{left:r})"),
                    "2:",
                    "movq $0, %fs:8({rseq:r})",
                    ".pushsection .text.cprng_abort,\"ax?\",@progbits",
                    ".byte 0x0f, 0xb9, 0x3d",
                    ".long 0x53053053",
                    "4:",
                    "jmp 20b",
                    "5:",
                    "movl $-1, {left:e}",
                    "jmp 2b",
                    ".popsection",
                    rseq = in(reg) d.rseq_offset.load(Ordering::Relaxed),
                    d = in(reg) d,
                    cpus = const offset_of!(cprng_draw, cpus),
                    buffers = in(reg) buffers,
                    buffer = out(reg) _,
                    left = out(reg) left,
                    value = out(reg) value,
                    options(att_syntax, nostack),
                );
            }
            if (left as i32) < 0 {
                return slow($bytes) as $type;
            }
            value as $type
        }
    };
}

#[cold]
#[inline(never)]
fn slow(bytes: u32) -> u64 {
    // SAFETY: the functions below pass the sizes that it supports.
    unsafe { cprng_draw_slow_1(bytes) }
}

define!(
    /// Return a uniform integer of 8 bits: `cprng_fast8`, inlined.
    fast8, u8, 1, "movzbl", "movb", "{value:e}"
);
define!(
    /// Return a uniform integer of 16 bits: `cprng_fast16`, inlined.
    fast16, u16, 2, "movzwl", "movw", "{value:e}"
);
define!(
    /// Return a uniform integer of 32 bits: `cprng_fast32`, inlined.
    fast32, u32, 4, "movl", "movl", "{value:e}"
);
define!(
    /// Return a uniform integer of 64 bits: `cprng_fast64`, inlined.
    fast64, u64, 8, "movq", "movq", "{value:r}"
);
