/** Work that many programs do and that is worth a second look, told by the names of functions. */

export interface Pattern {
  name: string;
  /** A regular expression that the names of its functions match. */
  functions: string;
  /** What usually helps. */
  advice: string;
}

export const PATTERNS: Pattern[] = [
  {
    name: "Compiling regular expressions",
    functions:
      "^regexp\\.(Must)?Compile|^regexp/syntax\\.|java\\.util\\.regex\\.Pattern\\.compile|^re\\.compile|_sre\\.compile|sre_compile|regex_automata.*(build|compile)|std::.*basic_regex.*_Compiler",
    advice: "Compile each expression once and keep it.",
  },
  {
    name: "Matching regular expressions",
    functions:
      "^regexp\\.\\(\\*|java\\.util\\.regex\\.(Matcher|Pattern\\$)|_sre\\.|re2::|pcre2?_match|pcre2_jit|regex_automata.*(search|find|match)",
    advice: "Look for a plain text search first, or for a simpler expression.",
  },
  {
    name: "Garbage collection",
    functions:
      "^runtime\\.(gc[A-Z]|bgsweep|bgscavenge|scanobject|markroot|greyobject|wbBuf)|GCTaskThread|G1(Young|Conc|Par|Full)|ZGC|ShenandoahGC|PyGC|gc_collect|_PyObject_GC|v8::internal::(MarkCompact|Scavenger|Heap::|ConcurrentMarking)|\\(garbage collector\\)|rb_gc|gc_mark",
    advice: "Allocate less: reuse buffers, size slices and maps in advance, keep objects short-lived.",
  },
  {
    name: "Allocating memory",
    functions:
      "^runtime\\.(mallocgc|newobject|growslice|makeslice|makemap)|(^|_)malloc$|_int_malloc|^calloc$|^realloc$|^operator new|je_malloc|tc_malloc|mi_malloc|^__rust_alloc|alloc::raw_vec.*(grow|reserve)",
    advice: "Look at who calls it: allocate once outside of the loop.",
  },
  {
    name: "Waiting for locks",
    functions:
      "^sync\\.\\(\\*(RW)?Mutex\\)|^runtime\\.lock2|pthread_(mutex|rwlock)_|futex|__lll_lock|parking_lot|java\\.util\\.concurrent\\.locks|ReentrantLock|ObjectMonitor|Monitor::(Enter|enter)|PyThread_acquire_lock|take_gil",
    advice: "Hold the lock for a shorter time, or divide what it guards.",
  },
  {
    name: "JSON",
    functions:
      "^encoding/json\\.|json\\.(loads|dumps|encoder|decoder)|^JSON\\.|JsonParser|JsonStringifier|com\\.fasterxml\\.jackson|com\\.google\\.gson|serde_json|simdjson|rapidjson|nlohmann|easyjson|jsoniter",
    advice: "Decode only what is used, or once; generated code and other formats are quicker.",
  },
  {
    name: "Protocol buffers",
    functions: "google\\.golang\\.org/protobuf|com\\.google\\.protobuf|google::protobuf|^prost::|google\\.protobuf",
    advice: "Avoid decoding the same message several times.",
  },
  {
    name: "Compression",
    functions:
      "^compress/(gzip|flate|zlib)|klauspost/compress|(^|_)(inflate|deflate)|java\\.util\\.zip|zstd|ZSTD_|snappy|brotli|Brotli|(^|_)LZ4",
    advice: "Take a lower level or a quicker format; don't compress what is compressed.",
  },
  {
    name: "Encryption and hashing",
    functions:
      "^crypto/|golang\\.org/x/crypto|javax\\.crypto|sun\\.security|(^|_)(sha1|sha256|sha512|SHA256|SHA1|md5|aes|AES)_|EVP_|SSL_(read|write|do_handshake)|bcrypt|argon2|scrypt",
    advice: "Keep connections open; hash what is needed once.",
  },
  {
    name: "Copying memory",
    functions: "^runtime\\.(memmove|typedmemmove|memclr)|^(__)?mem(cpy|move|set)|_mem(cpy|move)_",
    advice: "Pass references, and size buffers in advance so that they don't grow.",
  },
  {
    name: "System calls",
    functions:
      "^(runtime/internal/|internal/runtime/)?syscall|^syscall\\.|entry_SYSCALL|do_syscall|^__x64_sys_|^__libc_(read|write|send|recv)",
    advice: "Read and write in larger pieces.",
  },
  {
    name: "Reflection",
    functions: "^reflect\\.|java\\.lang\\.reflect|jdk\\.internal\\.reflect|System\\.Reflection",
    advice: "Generated code or a type switch does without.",
  },
  {
    name: "Formatting text",
    functions:
      "^fmt\\.|^strconv\\.|java\\.util\\.Formatter|String\\.format|v?s?n?printf$|core::fmt::|^std::.*basic_(ostream|stringstream)|PyUnicode_Format",
    advice: "Don't format what nobody reads, such as messages of a log level that is off.",
  },
  {
    name: "Logging",
    functions:
      "^log\\.|^log/slog\\.|sirupsen/logrus|go\\.uber\\.org/zap|org\\.slf4j|log4j|logback|^logging\\.|spdlog|tracing_subscriber",
    advice: "Log less on the hot path, or ask for the level first.",
  },
  {
    name: "Exceptions and panics",
    functions: "fillInStackTrace|_Unwind_|__cxa_throw|^runtime\\.(gopanic|gorecover)|StackTraceElement",
    advice: "Don't steer with exceptions: a stack trace is costly.",
  },
  {
    name: "Sorting",
    functions:
      "^sort\\.|^slices\\.(Sort|pdq)|java\\.util\\.(TimSort|DualPivotQuicksort)|std::__introsort|core::slice::sort|list_sort",
    advice: "Sort once, or keep it in order; take the largest few without a sort.",
  },
];
