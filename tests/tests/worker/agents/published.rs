//! The published agents that the tests run, and what each must leave behind.

/// A published agent and the program that it profiles.
pub(crate) struct Agent {
    /// As its users know it.
    pub(crate) name: &'static str,
    /// The name of the application that it is told.
    pub(crate) application: &'static str,
    /// The service under which its profiles arrive.
    pub(crate) service: &'static str,
    /// Must be there, below the folder of the set-up.
    pub(crate) needs: &'static str,
    /// Program and arguments. `{made}` is the folder of the set-up, `{here}` that of the sources.
    pub(crate) command: &'static [&'static str],
    /// With the same two words in their values.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// The ids of the types that it sends, the one of time first.
    pub(crate) types: &'static [&'static str],
    /// What becomes of labels.
    pub(crate) labels: Labels,
}

/// What becomes of labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
    /// `region` of the process, and `step` around the hot function.
    Both,
    /// The agent sends none.
    Lost,
}

const CPU: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

const NODE: [&str; 3] = [
    "wall:wall:nanoseconds:wall:nanoseconds",
    "process_cpu:cpu:nanoseconds:wall:nanoseconds",
    "memory:inuse_space:bytes:inuse_space:bytes",
];

const PYTHON: [&str; 2] = ["python3", "{here}/python/busy.py"];

const JAVA: [&str; 5] = [
    "java",
    "-javaagent:{made}/java/agent.jar",
    "-cp",
    "{made}/java:{made}/java/agent.jar",
    "Busy",
];

pub(crate) const AGENTS: [Agent; 14] = [
    Agent {
        name: "pyroscope-io 1.4.0 (Python)",
        application: "python.new",
        service: "python.new",
        needs: "python/pyroscope-1.4",
        command: &PYTHON,
        variables: &[("PYTHONPATH", "{made}/python/pyroscope-1.4")],
        types: &[CPU, "memory:inuse_space:bytes:space:bytes"],
        labels: Labels::Both,
    },
    Agent {
        name: "pyroscope-io 0.8.16 (Python)",
        application: "python.old",
        service: "python.old",
        needs: "python/pyroscope-0.8",
        command: &PYTHON,
        variables: &[("PYTHONPATH", "{made}/python/pyroscope-0.8")],
        types: &[CPU],
        labels: Labels::Both,
    },
    Agent {
        name: "@pyroscope/nodejs 0.6.4",
        application: "node.new",
        service: "node.new",
        needs: "node",
        command: &["node", "{here}/node/busy.mjs", "pyroscope-0.6"],
        variables: &[],
        types: &NODE,
        labels: Labels::Both,
    },
    Agent {
        name: "@pyroscope/nodejs 0.4.13",
        application: "node.old",
        service: "node.old",
        needs: "node",
        command: &["node", "{here}/node/busy.mjs", "pyroscope-0.4"],
        variables: &[],
        types: &NODE,
        labels: Labels::Both,
    },
    Agent {
        name: "pyroscope-go 1.4.3",
        application: "go.app",
        service: "go.app",
        needs: "go/busy",
        command: &["{made}/go/busy"],
        variables: &[],
        types: &[
            CPU,
            "memory:alloc_space:bytes:space:bytes",
            "memory:inuse_space:bytes:space:bytes",
            "goroutines:goroutine:count:goroutine:count",
            "mutex:delay:nanoseconds:contentions:count",
            "block:delay:nanoseconds:contentions:count",
        ],
        labels: Labels::Both,
    },
    Agent {
        name: "pyroscope agent 2.9.2 (Java)",
        application: "java.jfr",
        service: "java.jfr",
        needs: "java/Busy.class",
        command: &JAVA,
        variables: &[
            ("PYROSCOPE_PROFILER_ALLOC", "256k"),
            ("PYROSCOPE_LABELS", "region=eu"),
        ],
        types: &[CPU, "memory:alloc_in_new_tlab_bytes:bytes:space:bytes"],
        labels: Labels::Both,
    },
    Agent {
        name: "pyroscope agent 2.9.2 (Java), PYROSCOPE_FORMAT=otlp",
        application: "java.otlp",
        // It sends no resource, so no name either.
        service: "unknown_service",
        needs: "java/Busy.class",
        command: &JAVA,
        variables: &[("PYROSCOPE_FORMAT", "otlp")],
        types: &["itimer:itimer:ns:itimer:ns"],
        labels: Labels::Lost,
    },
    Agent {
        name: "pyroscope 2.1.5 (Rust, pprof-rs)",
        application: "rust.app",
        service: "rust.app",
        needs: "rust/debug/agent-rust",
        command: &["{made}/rust/debug/agent-rust"],
        variables: &[],
        types: &[CPU],
        labels: Labels::Both,
    },
    Agent {
        name: "opentelemetry-proto 1.39.1 (OTLP 1.7)",
        application: "otlp.1.7",
        service: "otlp.1.7",
        needs: "python/otlp-1.7",
        variables: &[("PYTHONPATH", "{made}/python/otlp-1.7")],
        ..OTLP
    },
    Agent {
        name: "opentelemetry-proto 1.41.1 (OTLP 1.9)",
        application: "otlp.1.9",
        service: "otlp.1.9",
        needs: "python/otlp-1.9",
        variables: &[("PYTHONPATH", "{made}/python/otlp-1.9")],
        ..OTLP
    },
    OTLP,
    Agent {
        name: "opentelemetry-proto 1.45.2 (OTLP 1.11), JSON",
        application: "otlp.json",
        service: "otlp.json",
        command: &["python3", "{here}/otlp/send.py", "json"],
        ..OTLP
    },
    Agent {
        name: "OpenTelemetry Collector 0.162.0",
        application: "otlp.collector",
        service: "otlp.collector",
        needs: "collector/collector",
        command: &[
            "{made}/collector/collector",
            "proto",
            "python3",
            "{here}/otlp/send.py",
            "protobuf",
        ],
        ..OTLP
    },
    Agent {
        name: "OpenTelemetry Collector 0.162.0, JSON",
        application: "otlp.collector.json",
        service: "otlp.collector.json",
        needs: "collector/collector",
        command: &[
            "{made}/collector/collector",
            "json",
            "python3",
            "{here}/otlp/send.py",
            "protobuf",
        ],
        ..OTLP
    },
];

/// What the published messages of OTLP encode; no profiler stands behind them.
const OTLP: Agent = Agent {
    name: "opentelemetry-proto 1.45.2 (OTLP 1.11)",
    application: "otlp.1.11",
    service: "otlp.1.11",
    needs: "python/otlp-1.11",
    command: &["python3", "{here}/otlp/send.py", "protobuf"],
    variables: &[("PYTHONPATH", "{made}/python/otlp-1.11")],
    types: &[CPU],
    labels: Labels::Both,
};
