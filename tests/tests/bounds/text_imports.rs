//! Hostile files of formats that people open.

use pilotlight_core::imports::open;
use pilotlight_core::limits::MAX_PROFILE_BYTES;

use crate::{Case, SIZE, case};

/// Those whose rows would pass the bound are refused.
pub(crate) static IMPORTS: &[Case] = &[
    import("perf samples without frames", true, || {
        lines("", |i| format!("a 1 {i}.5: c:"))
    }),
    import("perf samples of many events", false, || {
        lines("", |i| format!("a 1 1.5: e{}:", i % 64))
    }),
    import("perf frames of their own", false, || {
        lines("a 1 1.5: c:\n", |i| {
            let end = if i % 9 == 0 { "\n\na 1 1.5: c:" } else { "" };
            format!(" {i:x} {i:x}{end}")
        })
    }),
    import("perf threads of their own", true, || {
        lines("", |i| format!("{i:x} {i} 1.5: c:"))
    }),
    import("callgrind functions of their own", false, || {
        lines("events: Ir\n", |i| format!("fn={i:x}\n1 1"))
    }),
    import("callgrind names of their own", true, || {
        lines("events: Ir\nfn=a\n1 1\n", |i| format!("ob=({i}) {i}"))
    }),
    import("callgrind functions of many events", false, || {
        let events: Vec<String> = (0..64).map(|i| format!("e{i}")).collect();
        lines(&format!("events: {}\n", events.join(" ")), |i| {
            format!("fn={i:x}\n1 1")
        })
    }),
    import("callgrind calls of many paths", true, || {
        lines("events: Ir\n", |i| {
            let (layer, name) = (i / 30, i % 900 / 30 * 100 + i % 30);
            format!(
                "fn=f{name}\n1 7\ncfn=f{}\ncalls=1 1\n1 100",
                (i % 900 / 30 + 1) * 100 + layer / 30 % 30
            )
        })
    }),
    import("goroutines of their own", false, || {
        lines("", |i| format!("goroutine 1 [{i:x}]:\nf{i:x}()\n"))
    }),
    import("equal goroutines", true, || {
        lines("", |_| {
            "goroutine 1 [x]:\nmain.f()\n\t/a.go:5 +0x1\n".to_owned()
        })
    }),
    import("a deep copy of names of their own", false, || {
        lines("Weight\tSelf\tSymbol Name\n", |i| {
            format!("1 s\t1 s\t{i:x}")
        })
    }),
    import("a deep copy that goes deeper and deeper", true, || {
        lines("Weight\tSelf\tSymbol Name\n", |i| {
            format!("1 s\t1 s\t{}a", " ".repeat(i as usize))
        })
    }),
    import("callers without end", true, || {
        lines("@ e [1 samples]\n", |i| {
            format!("{}1%[{}]a", " ".repeat(i as usize), 9_999_999 - i)
        })
    }),
    import("callers that share nothing", false, || {
        lines("@ e [1 samples]\n", |i| {
            let depth = i as usize % 200;
            format!("{}1%[{}]{i:x}", " ".repeat(depth), 999 - depth)
        })
    }),
    import("entries of perf's reports of their own", false, || {
        lines(REPORT, |i| format!("     0.01%  {i:x}"))
    }),
    import("entries of perf's reports, all alike", true, || {
        lines(REPORT, |_| "     0.01%  main".to_owned())
    }),
    import("branches of perf's reports, to the roots", true, || {
        lines(&format!("{REPORT}    99.99%  a\n  ---a\n"), |i| {
            let branch = if i % 9_000 == 0 { "---a" } else { "   b" };
            format!("  {branch}")
        })
    }),
    import(
        "branches of perf's reports behind a long stack",
        false,
        || {
            let stack = "     b\n".repeat(16_000);
            lines(&format!("{REPORT}    99.99%  a\n  ---a\n{stack}"), |i| {
                format!("     |--0.01%--{i:x}")
            })
        },
    ),
    import("folded stacks of perf's reports", false, || {
        lines(&format!("{REPORT}    99.99%  a\n"), |i| {
            format!("1% a;{i:x};c")
        })
    }),
    import("calls of Xdebug, all alike", true, || {
        lines(XDEBUG, |i| format!("1\t0\t{}\t0.1\t{i}\tf\t\t\t\t1", i % 2))
    }),
    import("functions of Xdebug of their own", false, || {
        lines(XDEBUG, |i| format!("1\t\t0\t{i}\t1\t{i:x}\t\t\t\t1"))
    }),
    import("calls of Xdebug that go deeper and deeper", true, || {
        lines(XDEBUG, |i| {
            format!("{}\t\t0\t{i}\t1\tf\t\t\t{i:x}\t1", i % 16_000 + 1)
        })
    }),
    import("functions of VTune, all alike", true, || {
        lines("Function,CPU Time\n", |_| "f,1".to_owned())
    }),
    import("functions of VTune of their own", true, || {
        lines("Function Stack,CPU Time\n", |i| {
            format!("{}{i:x},1", " ".repeat(i as usize % 50))
        })
    }),
    import("stacks of VTune", false, || {
        lines("Function,Function Stack,CPU Time\n", |i| match i % 3 {
            0 => format!("{i:x},,1"),
            1 => format!(",{i:x},1"),
            _ => ",,,".to_owned(),
        })
    }),
    import("empty cells of VTune", true, || {
        lines("Function,CPU Time\n", |i| {
            if i == 0 {
                "f,1".to_owned()
            } else {
                ",".repeat(9_999)
            }
        })
    }),
    import("columns of VTune", true, || {
        let columns = ["a,"; SIZE / 8].concat();
        lines(&format!("Function,CPU Time,{columns}\n"), |_| {
            "f,1".to_owned()
        })
    }),
    import("columns of Visual Studio", true, || {
        let columns = ["a,"; SIZE / 8].concat();
        let head = format!("Function Name,Exclusive Samples,{columns}\n");
        lines(&head, |_| "f,1".to_owned())
    }),
    import("a call tree of Visual Studio", false, || {
        lines(
            "Level,Function Name,Exclusive Samples,Process Name\n",
            |i| format!("{},{i:x},1,{i}", i % 50),
        )
    }),
    import("differences of their own", true, || {
        lines("a;b 1 1\n", |i| format!("main;{i:x} 1 2"))
    }),
    import("frames of Austin of their own", false, || {
        lines("# austin: 3\n", |i| format!("P1;T1;{i:x} 1"))
    }),
    import("calls of Android that never end", true, || {
        let mut bytes = b"*version\n2\n*end\nSLOW\x02\0\x10\0\0\0\0\0\0\0\0\0".to_vec();
        for i in 0..SIZE as u32 / 10 {
            bytes.extend((i as u16 % 50).to_le_bytes());
            bytes.extend([4, 0, 0, 0]);
            bytes.extend(i.to_le_bytes());
        }
        bytes
    }),
    import("methods of Android of their own", false, || {
        let mut bytes = b"*version\n2\n*end\nSLOW\x02\0\x10\0\0\0\0\0\0\0\0\0".to_vec();
        for i in 0..SIZE as u32 / 10 {
            bytes.extend(((i / 10_000) as u16).to_le_bytes());
            bytes.extend((i * 4).to_le_bytes());
            bytes.extend(i.to_le_bytes());
        }
        bytes
    }),
    import("symbols of simpleperf", false, || {
        let mut bytes = b"SIMPLEPERF\x01\0".to_vec();
        let file = [0x1a, 0].repeat(SIZE / 2);
        let record = [&[0x1a], &varint(file.len())[..], &file].concat();
        bytes.extend((record.len() as u32).to_le_bytes());
        bytes.extend(record);
        bytes
    }),
    import("samples of simpleperf", true, || {
        let mut bytes = b"SIMPLEPERF\x01\0".to_vec();
        for i in 0..SIZE / 12 {
            bytes.extend([8, 0, 0, 0, 0x0a, 6, 0x1a, 4, 0x08, (i % 100) as u8, 0x20, 1]);
        }
        bytes
    }),
];

const REPORT: &str = "# Samples: 1 of event 'c'\n# Event count (approx.): 999999\n\
    # Overhead  Symbol\n# ........  ......\n";
const XDEBUG: &str = "File format: 4\nTRACE START [2026]\n";

pub(crate) const fn import(name: &'static str, accepted: bool, make: fn() -> Vec<u8>) -> Case {
    Case {
        read: |bytes| open(bytes, MAX_PROFILE_BYTES).is_ok(),
        ..case(name, accepted, make)
    }
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Lines until [`SIZE`].
pub(crate) fn lines(head: &str, line: impl Fn(u64) -> String) -> Vec<u8> {
    let mut text = head.to_owned();
    for i in 0.. {
        if text.len() >= SIZE {
            break;
        }
        text.push_str(&line(i));
        text.push('\n');
    }
    text.into_bytes()
}
