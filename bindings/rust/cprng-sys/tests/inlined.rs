// SPDX-License-Identifier: BSD-2-Clause
//! The inlined numbers and reads of streams call nothing while the buffer has their bytes, so Miri can run them.

use cprng_sys::{cprng_stream, stream16, stream32, stream64, stream8, stream_read, Aligned, CPRNG_STREAM_BUFFER};

/// Catches an inlined function that reads other bytes than the next ones, in another order, or outside of the buffer.
#[test]
fn numbers_are_the_next_bytes() {
    let bytes: [u8; CPRNG_STREAM_BUFFER] = std::array::from_fn(|i| (i * 7 + i / 256) as u8);
    for skipped in [0, 1, 7, 945, 950, 1000, 1015, 1017, 1020, 1023] {
        let next = skipped as isize - CPRNG_STREAM_BUFFER as isize;
        let mut s = cprng_stream { next, buffer: Aligned(bytes), opaque: Aligned([0; 512]) };
        let mut rest = &bytes[skipped..];
        for size in [1, 2, 4, 8, 64, 3].into_iter().cycle().take(400) {
            if size > rest.len() {
                continue;
            }
            let mut made = [0; 64];
            // SAFETY: the buffer has the bytes, so that nothing of the rest is used.
            unsafe {
                match size {
                    1 => made[..1].copy_from_slice(&stream8(&mut s).to_le_bytes()),
                    2 => made[..2].copy_from_slice(&stream16(&mut s).to_le_bytes()),
                    4 => made[..4].copy_from_slice(&stream32(&mut s).to_le_bytes()),
                    8 => made[..8].copy_from_slice(&stream64(&mut s).to_le_bytes()),
                    _ => assert_eq!(stream_read(&mut s, made.as_mut_ptr(), size), 0),
                }
            }
            assert_eq!(made[..size], rest[..size], "{size} bytes, {} before the end", rest.len());
            rest = &rest[size..];
            assert_eq!(s.next, -(rest.len() as isize));
        }
        assert!(rest.is_empty());
    }
}
