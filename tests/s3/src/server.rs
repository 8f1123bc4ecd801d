//! Connections: a thread of its own that ends with the process.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use s3s::auth::SimpleAuth;
use s3s::config::{S3Config, StaticConfigProvider};
use s3s::host::MultiDomain;
use s3s::service::{S3Service, S3ServiceBuilder};

use crate::{ACCESS_KEY_ID, DOMAIN, SECRET_ACCESS_KEY, Store, clock};

/// A server that runs.
pub struct Server {
    address: SocketAddr,
    store: Store,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server with an empty bucket on a port of loopback, any free one for 0.
    pub fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let store = Store::default();
        let mut builder = S3ServiceBuilder::new(store.clone());
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        let domains = [
            address.to_string(),
            format!("localhost:{}", address.port()),
            format!("{DOMAIN}:{}", address.port()),
        ];
        builder.set_host(MultiDomain::new(domains.iter()).map_err(io::Error::other)?);
        // Signatures may be of this machine's clock or of the tests'.
        let mut config = S3Config::default();
        config.presigned_url_max_skew_time_secs += clock::ahead().as_secs() as u32;
        builder.set_config(Arc::new(StaticConfigProvider::new(Arc::new(config))));
        let service = builder.build();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let listener = runtime.block_on(async { tokio::net::TcpListener::from_std(listener) })?;
        let thread = thread::spawn(move || runtime.block_on(serve(listener, service)));
        Ok(Self {
            address,
            store,
            thread,
        })
    }

    /// Where it is, as `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The same of virtual-host style: `http://s3.test:PORT`. The name means nothing to a resolver.
    pub fn virtual_endpoint(&self) -> String {
        format!("http://{DOMAIN}:{}", self.address.port())
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it holds.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits for ever.
    pub fn wait(self) {
        let _ = self.thread.join();
    }
}

async fn serve(listener: tokio::net::TcpListener, service: S3Service) {
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            continue;
        };
        // A small answer must not wait for the acknowledgement of its head.
        let _ = socket.set_nodelay(true);
        let service = service.clone();
        tokio::spawn(async move {
            let builder = auto::Builder::new(hyper_util::rt::TokioExecutor::new()).http1_only();
            // A client that hangs up is no fault of the server.
            let _ = builder
                .serve_connection(TokioIo::new(socket), service)
                .await;
        });
    }
}
