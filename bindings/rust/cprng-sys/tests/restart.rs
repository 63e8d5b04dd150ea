// SPDX-License-Identifier: BSD-2-Clause
//! The inlined draw, instruction by instruction: a signal at any of them leaves it complete or undone.
#![cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux", not(cprng_no_inline)))]

use cprng_sys::{cprng_draw, cprng_draw_1, fast, fast32, fast64};
#[cfg(target_arch = "x86_64")]
use std::process::Command;
#[cfg(target_arch = "aarch64")]
use std::sync::atomic::AtomicU32 as AtomicCode;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::AtomicU8 as AtomicCode;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The structures that the kernel reads: include/uapi/linux/rseq.h.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    version: u32,
    flags: u32,
    start: u64,
    length: u64,
    abort: u64,
}

/// A request of each sequence, by the bytes that it takes.
struct Request {
    size: usize,
    draw: fn(&mut [u8; 64]),
}

#[inline(never)]
fn request<const SIZE: usize>(to: &mut [u8; 64]) {
    assert!(SIZE <= 64);
    // SAFETY: the bytes are the array's.
    unsafe { fast(to.as_mut_ptr(), SIZE) }
}

macro_rules! requests {
    ($($size:literal)*) => {
        [$(Request { size: $size, draw: request::<$size> }),*]
    };
}

/// Integers, and the four sequences that copy; of 64 bytes no two instructions overlap.
static REQUESTS: [Request; 8] = requests!(1 2 4 8 12 16 24 64);

impl Request {
    fn of(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        (self.draw)(&mut bytes);
        bytes
    }
}

/// The structure of inlined draws, or nothing where there are no restartable sequences (under valgrind, say).
fn published() -> Option<&'static cprng_draw> {
    fast32();
    // SAFETY: the library sets it once, by atomic stores.
    let draw = unsafe { &cprng_draw_1 };
    (!draw.buffers.load(Ordering::Acquire).is_null()).then_some(draw)
}

#[cfg(target_arch = "x86_64")]
/// The program's address: its headers are in the 64 bytes at its beginning.
fn base() -> u64 {
    // SAFETY: it has no conditions.
    unsafe { libc::getauxval(libc::AT_PHDR) - 64 }
}

unsafe extern "C" {
    // The linker's, for a section of such a name.
    #[link_name = "__start___rseq_cs"]
    static FIRST: Descriptor;
    #[link_name = "__stop___rseq_cs"]
    static END: Descriptor;
}

/// The descriptors of all sequences of this program, the C library's too.
fn descriptors() -> &'static [Descriptor] {
    let (first, end) = (&raw const FIRST, &raw const END);
    // SAFETY: both are bounds of the section, as it is loaded.
    unsafe { std::slice::from_raw_parts(first, end.offset_from(first) as usize) }
}

/// The descriptor that a request uses: with a breakpoint at the beginning of every sequence, the one that is aborted.
fn descriptor(of: &Request) -> Descriptor {
    let all = descriptors();
    HITS.store(0, Ordering::Relaxed);
    for (i, one) in all.iter().enumerate() {
        PLANTED.store(one.start, Ordering::Relaxed);
        ORIGINAL.store(patch(one.start, BREAKPOINT), Ordering::Relaxed);
        HANDLER_DRAWS.store(NOTHING, Ordering::Relaxed);
        CALLER.store(of.draw as *const () as u64, Ordering::Relaxed);
        of.of();
        if HITS.load(Ordering::Relaxed) != 0 {
            assert_eq!(CONTINUED_AT.load(Ordering::Relaxed), one.abort);
            // Without optimisation the sequence is in a function that this one calls.
            let here = of.draw as *const () as u64;
            assert!(cfg!(debug_assertions) || (here..here + 512).contains(&one.start), "{} bytes", of.size);
            return *one;
        }
        assert_eq!(patch(one.start, ORIGINAL.load(Ordering::Relaxed)), BREAKPOINT, "{i}");
    }
    panic!("no sequence of {} serves {} bytes", all.len(), of.size);
}

/// The instructions' addresses, from the sequence's first on.
#[cfg(target_arch = "aarch64")]
fn boundaries(of: &Descriptor) -> Vec<u64> {
    (of.start..of.start + of.length).step_by(size_of::<Code>()).collect()
}

/// The same, by a disassembler.
#[cfg(target_arch = "x86_64")]
fn boundaries(of: &Descriptor) -> Vec<u64> {
    let range = (of.start - base(), of.start - base() + of.length);
    let exe = std::env::current_exe().unwrap();
    let output = Command::new("objdump")
        .args(["-d", "--no-show-raw-insn"])
        .arg(format!("--start-address={:#x}", range.0))
        .arg(format!("--stop-address={:#x}", range.1))
        .arg(&exe)
        .output()
        .expect("objdump is there");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| line.trim().split_once(":\t"))
        .map(|(address, _)| base() + u64::from_str_radix(address, 16).unwrap())
        .collect()
}

static PLANTED: AtomicU64 = AtomicU64::new(0);
static ORIGINAL: AtomicCode = AtomicCode::new(0);
static HITS: AtomicUsize = AtomicUsize::new(0);
static CONTINUED_AT: AtomicU64 = AtomicU64::new(0);
/// The number of the request, or NOTHING.
static HANDLER_DRAWS: AtomicUsize = AtomicUsize::new(NOTHING);
static DRAWN_BY_HANDLER: Mutex<[u8; 64]> = Mutex::new([0; 64]);
/// The function that draws, and whether an unwinder reaches it from the place where the thread continues.
static CALLER: AtomicU64 = AtomicU64::new(0);
static UNWOUND: AtomicBool = AtomicBool::new(false);
/// What the handler's draw leaves in the place of its bytes is zero.
static ERASED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn _Unwind_Backtrace(note: extern "C" fn(*mut libc::c_void, *mut libc::c_void) -> i32, argument: *mut libc::c_void) -> i32;
    fn _Unwind_GetIP(context: *mut libc::c_void) -> usize;
    fn _Unwind_FindEnclosingFunction(ip: *mut libc::c_void) -> *mut libc::c_void;
}

extern "C" fn note(context: *mut libc::c_void, _: *mut libc::c_void) -> i32 {
    // SAFETY: the context is the unwinder's; an address before the one that a call continues at is in the same function.
    let function = unsafe { _Unwind_FindEnclosingFunction(_Unwind_GetIP(context).wrapping_sub(1) as *mut _) };
    UNWOUND.fetch_or(function as u64 == CALLER.load(Ordering::Relaxed), Ordering::Relaxed);
    0
}

const NOTHING: usize = usize::MAX;

#[cfg(target_arch = "x86_64")]
mod machine {
    pub type Code = u8;
    pub const BREAKPOINT: Code = 0xcc;
    pub const SIGNATURE: u32 = 0x5305_3053;

    pub fn continues_at(context: &libc::ucontext_t) -> u64 {
        context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64
    }

    /// A trap is reported after the breakpoint.
    pub fn reported_at(place: u64) -> u64 {
        place + 1
    }

    pub fn see_code(_: u64) {}

    pub fn thread_pointer() -> usize {
        let pointer: usize;
        // SAFETY: the first word behind fs is the thread pointer itself.
        unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(readonly, nostack, preserves_flags)) };
        pointer
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    pub type Code = u32;
    /// BRK #0
    pub const BREAKPOINT: Code = 0xd420_0000;
    pub const SIGNATURE: u32 = 0xd428_bc00;

    pub fn continues_at(context: &libc::ucontext_t) -> u64 {
        context.uc_mcontext.pc
    }

    pub fn reported_at(place: u64) -> u64 {
        place
    }

    /// The caches of data and instructions are separate.
    pub fn see_code(address: u64) {
        // SAFETY: it changes no memory.
        unsafe {
            std::arch::asm!("dc cvau, {0}", "dsb ish", "ic ivau, {0}", "dsb ish", "isb", in(reg) address);
        }
    }

    pub fn thread_pointer() -> usize {
        let pointer: usize;
        // SAFETY: it reads a register.
        unsafe { std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
        pointer
    }
}

use machine::{Code, BREAKPOINT};

fn patch(address: u64, code: Code) -> Code {
    let page = address & !4095;
    // SAFETY: code of this program, of which no other thread runs that instruction.
    unsafe {
        let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        assert_eq!(libc::mprotect(page as *mut _, 8192, all), 0);
        let before = (address as *mut Code).replace(code);
        machine::see_code(address);
        before
    }
}

/// Before it calls a handler, the kernel aborts the sequence: the frame shows where the thread continues.
extern "C" fn on_trap(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the context that the kernel gives to a handler with SA_SIGINFO.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    CONTINUED_AT.store(machine::continues_at(context), Ordering::Relaxed);
    HITS.fetch_add(1, Ordering::Relaxed);
    UNWOUND.store(false, Ordering::Relaxed);
    // SAFETY: it calls note() for each frame.
    unsafe { _Unwind_Backtrace(note, std::ptr::null_mut()) };
    patch(PLANTED.load(Ordering::Relaxed), ORIGINAL.load(Ordering::Relaxed));
    if let Some(request) = REQUESTS.get(HANDLER_DRAWS.load(Ordering::Relaxed)) {
        *DRAWN_BY_HANDLER.try_lock().unwrap() = request.of();
        // SAFETY: the library has set it, and the tests' thread stays on its CPU.
        let (draw, cpu) = unsafe { (&cprng_draw_1, libc::sched_getcpu() as usize) };
        let place = &buffered(draw, cpu)[left(draw, cpu) as usize..][..request.size];
        ERASED.store(place.iter().all(|byte| *byte == 0), Ordering::Relaxed);
    }
}

fn handle(signal: i32, handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void)) {
    // SAFETY: the handler draws, and draws are async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

/// Tests of one process run in threads: these take turns, each on one CPU, so that they use one buffer.
fn alone() -> (MutexGuard<'static, ()>, usize) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|error| error.into_inner());
    // SAFETY: a set of CPUs, the one that the thread runs on.
    unsafe {
        let cpu = libc::sched_getcpu() as usize;
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0);
        (turn, cpu)
    }
}

/// The bytes left in a CPU's buffer.
fn left(of: &cprng_draw, cpu: usize) -> u32 {
    // SAFETY: the page of the CPU, whose first four bytes are the number.
    unsafe { of.buffers.load(Ordering::Relaxed).add(cpu * 4096).cast::<u32>().read_volatile() }
}

/// Words that any two parts of the request differ in: what one instruction copies has one of its own.
fn words(bytes: &[u8]) -> Vec<u64> {
    let mut parts: Vec<&[u8]> = bytes.chunks_exact(8.min(bytes.len())).collect();
    parts.push(&bytes[bytes.len().saturating_sub(8)..]);
    parts.dedup();
    let word = |part: &[u8]| part.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    parts.into_iter().map(word).collect()
}

/// Draw until enough bytes are left that no refill changes the count.
fn stock(of: &cprng_draw, cpu: usize) -> u32 {
    while left(of, cpu) < 4 * 64 {
        fast64();
    }
    left(of, cpu)
}

/// Catches a sequence that a signal does not undo: a wrong descriptor, signature or abort address; one that begins again, without an
/// end under single steps; one that erases before it lowers the count; abort code that an unwinder finds no way out of.
#[test]
fn a_signal_at_each_instruction_aborts_the_sequence() {
    let (_turn, cpu) = alone();
    let Some(draw) = published() else {
        eprintln!("skipped: no restartable sequences here");
        return;
    };
    handle(libc::SIGTRAP, on_trap);
    for (number, request) in REQUESTS.iter().enumerate() {
        let size = request.size;
        stock(draw, cpu);
        let sequence = descriptor(request);
        assert_eq!((sequence.version, sequence.flags), (0, 0));
        // SAFETY: the code before the abort address.
        let signature = unsafe { ((sequence.abort - 4) as *const u32).read_unaligned() };
        assert_eq!(signature, machine::SIGNATURE, "RSEQ_SIG of the C library");
        let places = boundaries(&sequence);
        assert!(places.len() >= 8 && places[0] == sequence.start, "{places:x?}");
        let mut seen = Vec::new();
        for (i, place) in places.iter().enumerate() {
            stock(draw, cpu);
            HITS.store(0, Ordering::Relaxed);
            ERASED.store(false, Ordering::Relaxed);
            HANDLER_DRAWS.store(number, Ordering::Relaxed);
            PLANTED.store(*place, Ordering::Relaxed);
            ORIGINAL.store(patch(*place, BREAKPOINT), Ordering::Relaxed);
            let value = request.of();
            let what = format!("{size} bytes, instruction {i}");
            assert_eq!(HITS.load(Ordering::Relaxed), 1, "{what}");
            // The byte after the last instruction is outside the sequence.
            if machine::reported_at(*place) < sequence.start + sequence.length {
                assert_eq!(CONTINUED_AT.load(Ordering::Relaxed), sequence.abort, "{what}");
            }
            assert!(UNWOUND.load(Ordering::Relaxed), "{what}: its caller is not found");
            assert!(ERASED.load(Ordering::Relaxed), "{what}");
            assert!(value[size..].iter().all(|byte| *byte == 0), "{what}: written beyond its end");
            seen.extend(words(&value[..size]));
            seen.extend(words(&DRAWN_BY_HANDLER.try_lock().unwrap()[..size]));
        }
        // About 24 numbers of 32 bits: two are equal, or one is 0, with probability 2^-24; two such pairs occur with less
        // than 2^-47.
        if size >= 4 {
            seen.push(0);
            seen.sort_unstable();
            let count = seen.len();
            seen.dedup();
            let twice = count - seen.len();
            assert!(twice <= 1, "{size} bytes: {twice} of {count} words are 0 or came twice");
        }
    }
}

/// The bytes of a CPU's buffer.
fn buffered(of: &cprng_draw, cpu: usize) -> &[u8] {
    // SAFETY: the page of the CPU; only the test's thread uses it, and it draws through asm!.
    unsafe { std::slice::from_raw_parts(of.buffers.load(Ordering::Relaxed).add(cpu * 4096 + 64), 4096 - 64) }
}

/// Catches a draw that leaves its bytes in the buffer, or a part of them.
#[test]
fn drawn_bytes_are_erased() {
    let (_turn, cpu) = alone();
    let Some(draw) = published() else {
        eprintln!("skipped: no restartable sequences here");
        return;
    };
    for request in &REQUESTS {
        let size = request.size;
        let is_erased = || {
            let before = stock(draw, cpu) as usize;
            let value = std::hint::black_box(request.of());
            let page = std::hint::black_box(buffered(draw, cpu));
            let after = left(draw, cpu) as usize;
            before == after + size
                && page[after..before].iter().all(|byte| *byte == 0)
                && (size < 8 || page.windows(8).all(|window| window != &value[..8]))
        };
        // A preemption aborts one draw in some hundred thousand, which then refills.
        let erased = (0..100).filter(|_| is_erased()).count();
        assert!(erased >= 97, "{size} bytes: {erased} of 100");
    }
}

/// Catches a descriptor left in place, which the kernel would read after its code has been unloaded.
#[test]
fn the_descriptor_is_cleared() {
    let _turn = alone();
    let Some(draw) = published() else {
        eprintln!("skipped: no restartable sequences here");
        return;
    };
    fast32();
    let area = machine::thread_pointer() as isize + draw.rseq_offset.load(Ordering::Relaxed);
    // SAFETY: rseq_cs is at byte 8 of the thread's rseq area.
    let left_behind = unsafe { ((area + 8) as *const u64).read_volatile() };
    assert_eq!(left_behind, 0);
}
