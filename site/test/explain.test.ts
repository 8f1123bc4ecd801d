import assert from "node:assert/strict";
import { test } from "node:test";

const { PATTERNS } = await import("../src/explain/patterns.ts");

/** Names as agents of several languages send them, and the pattern each belongs to. */
const NAMES: Record<string, string> = {
  "regexp.MustCompile": "Compiling regular expressions",
  "java.util.regex.Pattern.compile": "Compiling regular expressions",
  "regexp.(*Regexp).doExecute": "Matching regular expressions",
  "runtime.gcBgMarkWorker": "Garbage collection",
  "(garbage collector)": "Garbage collection",
  "runtime.mallocgc": "Allocating memory",
  _int_malloc: "Allocating memory",
  "sync.(*Mutex).Lock": "Waiting for locks",
  pthread_mutex_lock: "Waiting for locks",
  "encoding/json.Marshal": "JSON",
  "serde_json::de::from_slice": "JSON",
  "google.golang.org/protobuf/proto.Marshal": "Protocol buffers",
  "compress/flate.(*compressor).deflate": "Compression",
  ZSTD_compressBlock: "Compression",
  "crypto/sha256.block": "Encryption and hashing",
  "runtime.memmove": "Copying memory",
  __memcpy_avx_unaligned: "Copying memory",
  "runtime/internal/syscall.Syscall6": "System calls",
  "reflect.Value.Call": "Reflection",
  "fmt.Sprintf": "Formatting text",
  "log.Printf": "Logging",
  "java.lang.Throwable.fillInStackTrace": "Exceptions and panics",
  "sort.Slice": "Sorting",
};

test("names of functions belong to the pattern that people expect", () => {
  for (const [name, expect] of Object.entries(NAMES)) {
    const found = PATTERNS.filter(({ functions }) => new RegExp(functions).test(name)).map(({ name }) => name);
    assert.deepEqual(found, [expect], name);
  }
});

test("application code belongs to none", () => {
  for (const name of ["main", "checkout.(*Service).Place", "com.acme.logging.Shipper.run", "render_catalog", "total"])
    assert.ok(!PATTERNS.some(({ functions }) => new RegExp(functions).test(name)), name);
});
