// SPDX-License-Identifier: BSD-2-Clause
//! Pi by darts, on four threads: `cargo run --example simulation` prints the same number each time, on every machine,
//! because each task has a numbered child of the experiment's stream.

use cprng::Stream;

const TASKS: u64 = 16;
const DARTS: u64 = 100_000;

fn hits(mut stream: Stream) -> u64 {
    let inside = |_: &u64| {
        let (x, y) = (stream.f64(), stream.f64());
        x * x + y * y < 1.0
    };
    (0..DARTS).filter(inside).count() as u64
}

fn main() -> Result<(), cprng::Error> {
    let experiment = Stream::new(42);
    let tasks = (0..TASKS).map(|task| experiment.child(task)).collect::<Result<Vec<_>, _>>()?;
    let total: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = tasks
            .chunks(TASKS as usize / 4)
            .map(|part| scope.spawn(move || part.iter().cloned().map(hits).sum::<u64>()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    println!("pi is about {:.5}", 4.0 * total as f64 / (TASKS * DARTS) as f64);
    Ok(())
}
