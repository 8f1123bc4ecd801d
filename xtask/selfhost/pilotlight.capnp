# Pilotlight under workerd, with an S3 bucket. What an operator sets is in pilotlight.env. site/tools/server.mjs fills in what
# stands between at signs; bin/pilotlight and `pilotlight serve` start workerd with the result.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "pilotlight", worker = .worker),
    # The files of the site.
    (name = "pages", disk = (path = "pages")),
    # The databases of the Durable Objects. bin/pilotlight says where they are.
    (name = "state", disk = (writable = true)),
    # The way to the bucket, which may be on this machine or beside it. The worker asks for no other address.
    (name = "bucket", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [
    (name = "http", http = (forwardedProtoHeader = "x-forwarded-proto"), service = "pilotlight"),
  ],
);

const worker :Workerd.Worker = (
  compatibilityDate = "@compatibility_date@",
  modules = [
@modules@
  ],
  bindings = [
    (name = "TENANT", durableObjectNamespace = "Tenant"),
    (name = "CLOCK", durableObjectNamespace = "Clock"),
    # Visits of the schedule and the parts of large queries are invocations of their own.
    (name = "SELF", service = (name = "pilotlight", entrypoint = "Visits")),
    (name = "PAGES", service = "pages"),
    (name = "BUCKET_BACKEND", text = "s3"),
    # /metrics reckons with Cloudflare's prices where it is told none; nothing of this is paid to Cloudflare.
    (name = "PRICES", json = "{\"fee\": 0, \"stored_gigabyte\": 0, \"per_million\": {\"worker_requests\": 0, \"worker_cpu_micros\": 0, \"object_requests\": 0, \"object_millis\": 0, \"rows_read\": 0, \"rows_written\": 0, \"bucket_writes\": 0, \"bucket_lists\": 0, \"bucket_reads\": 0}}"),
    # From the environment, which bin/pilotlight reads from pilotlight.env.
@variables@
  ],
  # The unique keys name the folders of the databases: never change them.
  durableObjectNamespaces = [
    (className = "Tenant", uniqueKey = "pilotlight-tenant", enableSql = true),
    (className = "Clock", uniqueKey = "pilotlight-clock", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "state"),
  globalOutbound = "bucket",
);
