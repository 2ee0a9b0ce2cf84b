//! Measures the cost of analysing a photo: processor time and memory on one thread, including decoding.

use std::time::Duration;

use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

use crate::run::look;

/// The costs of photos of one size. Each is the minimum of several analyses, because other load on the machine can only
/// increase it.
pub(crate) struct Cost {
    pub(crate) size: (usize, usize),
    pub(crate) photos: usize,
    pub(crate) median: Duration,
    pub(crate) least: Duration,
    pub(crate) most: Duration,
    /// Peak memory of any photo, in bytes per pixel, without the JPEG.
    pub(crate) bytes_per_pixel: f64,
}

/// Analyses each photo several times.
pub(crate) fn measure(size: (usize, usize), jpegs: &[Vec<u8>], memory: &PeakAlloc) -> Result<Cost, String> {
    const TIMES: usize = 5;
    let mut times = Vec::new();
    let mut memory_most = 0;
    for jpeg in jpegs {
        memory.reset_peak_usage();
        let before = memory.current_usage();
        let mut least = Duration::MAX;
        for _ in 0..TIMES {
            let start = cpu_time();
            look(jpeg)?;
            least = least.min(cpu_time().saturating_sub(start));
        }
        times.push(least);
        memory_most = memory_most.max(memory.peak_usage() - before);
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let least = times.first().copied().unwrap_or_default();
    let most = times.last().copied().unwrap_or_default();
    let bytes_per_pixel = memory_most as f64 / (size.0 * size.1) as f64;
    Ok(Cost { size, photos: jpegs.len(), median, least, most, bytes_per_pixel })
}

/// Processor time that this thread has used.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
