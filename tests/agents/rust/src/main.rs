//! A program with a known hot function, profiled by the published `pyroscope` crate.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use pyroscope::backend::{BackendConfig, PprofConfig, pprof_backend};
use pyroscope::pyroscope::PyroscopeAgentBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = env::var("AGENT_SECONDS")?.parse()?;
    let mut builder = PyroscopeAgentBuilder::new(
        env::var("AGENT_SERVER")?,
        env::var("AGENT_APPLICATION")?,
        100,
        "pyroscope-rs",
        "2.1.5",
        pprof_backend(PprofConfig::default(), BackendConfig::default()),
    )
    .tags(vec![("region", "eu")])
    .upload_interval(Duration::from_secs(5));
    if let Ok(token) = env::var("AGENT_TOKEN") {
        builder = builder.basic_auth("agent", token);
    }
    let agent = builder.build()?.start()?;
    let (add_tag, remove_tag) = agent.tag_wrapper();
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        add_tag("step".to_owned(), "hot".to_owned())?;
        hot_work();
        remove_tag("step".to_owned(), "hot".to_owned())?;
        mild_work();
    }
    agent.stop()?.shutdown();
    Ok(())
}

#[inline(never)]
fn hot_work() {
    black_box(sum(30_000_000));
}

#[inline(never)]
fn mild_work() {
    black_box(sum(10_000_000));
}

#[inline(always)]
fn sum(steps: u64) -> u64 {
    (0..steps).fold(0, |sum, step| black_box(sum ^ step.wrapping_mul(31)))
}
