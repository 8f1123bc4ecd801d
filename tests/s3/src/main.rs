//! Serves an empty bucket in memory until it is ended: `pilotlight-s3 PORT`, or 0 for any free
//! port. The first line says where.

use std::process::ExitCode;

use pilotlight_s3::{ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, Server};

fn main() -> ExitCode {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let Some(port) = port else {
        eprintln!("usage: pilotlight-s3 PORT");
        return ExitCode::from(2);
    };
    match Server::start(port) {
        Ok(server) => {
            println!(
                "{} bucket {BUCKET:?} key {ACCESS_KEY_ID:?} secret {SECRET_ACCESS_KEY:?}",
                server.endpoint()
            );
            server.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("pilotlight-s3: port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}
