//! A child process of the benchmark: reads its output, measures its processor time, and stops it with the benchmark.

use std::{
    fs,
    io::{BufRead, BufReader, Lines},
    process::{ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::Failure;

/// Unit of processor time in `/proc` on Linux.
const TICK: Duration = Duration::from_millis(10);

/// Timeout for the exit of a process.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A process that has printed `READY`. It stops when its input is closed, which happens when this is dropped.
pub(crate) struct Child {
    process: std::process::Child,
    variables: Vec<(String, String)>,
    /// Lines with metrics printed since the last call of [`Self::take_metrics`].
    metrics: Arc<Mutex<Vec<String>>>,
}

impl Child {
    /// Starts a process with only this environment and waits until it is ready. The lines that it prints before are
    /// variables.
    pub(crate) fn start(command: &mut Command, environment: &[(String, String)]) -> Result<Self, Failure> {
        command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(output).lines();
        let mut variables = Vec::new();
        loop {
            let line = lines.next().ok_or_else(|| format!("{command:?} did not start"))??;
            match line.split_once('=') {
                None if line == "READY" => break,
                Some((name, value)) => variables.push((name.to_owned(), value.to_owned())),
                None => {}
            }
        }
        let metrics = Arc::new(Mutex::new(Vec::new()));
        std::thread::spawn({
            let metrics = Arc::clone(&metrics);
            move || keep_metrics(lines, &metrics)
        });
        Ok(Self { process, variables, metrics })
    }

    /// The variables that the process printed before it was ready.
    pub(crate) fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// The value of a variable.
    pub(crate) fn variable(&self, name: &str) -> Result<&str, Failure> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        Ok(found.map(|(_, value)| value.as_str()).ok_or_else(|| format!("{name} was not printed"))?)
    }

    /// The id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Lines with metrics printed since the last call.
    pub(crate) fn take_metrics(&self) -> Vec<String> {
        std::mem::take(&mut *self.metrics.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Processor time of the process and its workers so far, including time in the kernel.
    pub(crate) fn processor_time(&self) -> Result<Duration, Failure> {
        let id = self.id();
        let workers = fs::read_to_string(format!("/proc/{id}/task/{id}/children"))?;
        let workers = workers.split_whitespace().map(processor_time).sum::<Result<Duration, Failure>>()?;
        Ok(workers + processor_time(&id.to_string())?)
    }

    /// Makes the peak of the process's memory begin again with what it has now.
    pub(crate) fn reset_peak_memory(&self) -> Result<(), Failure> {
        // See clear_refs in proc_pid_clear_refs(5).
        Ok(fs::write(format!("/proc/{}/clear_refs", self.id()), "5")?)
    }

    /// The most memory that the process had since the last reset, in bytes, workers apart.
    pub(crate) fn peak_memory(&self) -> Result<u64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
        Ok(peak.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let given_up = Instant::now() + EXIT_TIMEOUT;
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < given_up {
            std::thread::sleep(TICK);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the process's output continuously, so that the process never blocks.
fn keep_metrics(lines: Lines<BufReader<ChildStdout>>, metrics: &Mutex<Vec<String>>) {
    for line in lines.map_while(Result::ok).filter(|line| line.contains("\"_aws\"")) {
        metrics.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

fn processor_time(id: &str) -> Result<Duration, Failure> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The process name may contain spaces. After it, `utime` and `stime` are the twelfth and thirteenth field: see
    // proc(5).
    let (_, fields) = stat.rsplit_once(')').ok_or("no stat")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
    Ok(TICK * ticks.sum::<Result<u32, _>>()?)
}
