/**
 * Advice on stacks that are known to cost too much. A rule names the stacks that it is about, not single functions: the same
 * function can be idle below one caller and contention below another. A rule whose advice is sometimes wrong does not belong here.
 */

/** What a profile measures: work, such as CPU and wall time, what was allocated, or waiting for locks and the like. */
type Measured = "work" | "allocations" | "waiting";

export interface Rule {
  name: string;
  /** Profiles that its advice holds for; of work when absent. */
  of?: Measured[];
  /** Steps that leave its stacks, as the page takes them: with a function of each `focus`, without any of an `ignore`. */
  stacks: string[];
  advice: string;
  /** More of it for one runtime, by functions that its stacks have. */
  hints?: [functions: string, advice: string][];
}

/** The rules for a profile of this sample type: none for memory in use, which advice on allocations need not lessen. */
export function rulesFor({ type, unit }: { type: string; unit: string }): Rule[] {
  const measured = measuredBy(type, unit);
  return RULES.filter(({ of = ["work"] }) => measured && of.includes(measured));
}

function measuredBy(type: string, unit: string): Measured | null {
  if (/contention|delay|^(?:goroutine|thread)/.test(type)) return "waiting";
  if (/alloc/.test(type)) return "allocations";
  return /^(?:inuse_|live|objects|space)/.test(type) || unit.startsWith("bytes") ? null : "work";
}

const { raw } = String;
const focus = (...functions: string[]) => `focus:${functions.join("|")}`;
const ignore = (...functions: string[]) => `ignore:${functions.join("|")}`;

/** Initialization: it runs once, however long it takes. */
const ONCE = ignore(
  raw`^runtime\.(?:doInit|main_init)`,
  raw`^sync\.(?:\(\*)?Once`,
  raw`<clinit>|SpringApplication\.run`,
  raw`importlib|_find_and_load`,
  raw`once_cell|OnceLock|OnceCell|LazyLock|lazy_static|once::(?:futex::|queue::)?Once::call`,
  raw`_GLOBAL__sub_I|__static_initialization`,
);

/** Waiting, which profiles of wall time and of goroutines show: it is not work that could be saved. */
const WAITING = ignore(
  raw`^runtime\.gopark|^internal/poll\.\(\*FD\)\.Read`,
  raw`LockSupport\.park|Object\.wait|[sS]ocketRead0|NioSocketImpl`,
  // Names may begin with their library: libc.so.6.__futex_abstimed_wait_common.
  raw`(?:^|\.so[.\d]*\.)__(?:libc_|GI_|new_)*(?:read|recv\w*|poll|select|sem_\w*wait)`,
  raw`(?:^|\.so[.\d]*\.)(?:epoll_wait|_*futex_\w*wait|sem_\w*wait)|pthread_cond_\w*wait|\bsemaphore_wait`,
  raw`Semaphore::wait|Monitor::i?wait\b`,
);

const OBJECT_MAPPER = raw`com[./]fasterxml[./]jackson[./]databind[./](?:ObjectMapper|json[./]JsonMapper)\.<init>`;
const NEW_COMPRESSOR = raw`(?:^|klauspost/)compress/\w+\.NewWriter|^deflateInit2?_`;
const LESS_LOCKING = "Hold the lock for less time, or split the data it protects.";

export const RULES: Rule[] = [
  {
    name: "Compiling regular expressions",
    of: ["work", "allocations"],
    stacks: [
      focus(
        raw`^regexp\.(?:Must)?[cC]ompile`,
        raw`java[./]util[./]regex[./]Pattern\.compile`,
        raw`sre_(?:compile|parse)|\bre/_(?:compiler|parser)\.py|^re\._(?:compiler|parser)\.`,
        raw`regex::regex::\w+::Regex::new`,
        raw`std::__detail::_Compiler<|re2::RE2::Init`,
        raw`pcre2?_(?:jit_)?compile`,
      ),
      ONCE,
    ],
    advice: "Compile each expression once, outside hot code, and reuse it.",
  },
  {
    name: "Creating compressors",
    of: ["work", "allocations"],
    stacks: [focus(NEW_COMPRESSOR), ONCE],
    advice: "Reuse compressors: a new one allocates all its tables.",
    hints: [
      [raw`\b(?:gzip|flate|zlib|zstd)\.NewWriter`, "Use Reset and a sync.Pool."],
      [raw`^deflateInit`, "Use deflateReset."],
    ],
  },
  {
    name: "Compression",
    stacks: [
      focus(
        raw`(?:^|klauspost/)compress/flate\.\(\*(?:compressor|huffmanBitWriter|deflateFast|fastEncL\d|Writer)\)`,
        raw`klauspost/compress/zstd\.\(\*(?:blockEnc|\w*Encoder)\)`,
        raw`java[./]util[./]zip[./]Deflater\.deflate`,
        raw`^(?:zlib_)?deflate(?:_\w+)?$|ZSTD_compress`,
        raw`miniz_oxide::deflate`,
      ),
      ignore(NEW_COMPRESSOR),
    ],
    advice:
      "Use a lower level or a faster format if larger output is acceptable. Don't compress data that is already compressed.",
  },
  {
    name: "Garbage collection",
    stacks: [
      focus(
        raw`^runtime\.(?:gc(?:BgMarkWorker|AssistAlloc|Drain|Start|Mark\w+)|bgsweep|bgscavenge|wbBufFlush)`,
        raw`^runtime\.\(\*(?:mspan|sweepLocked)\)\.sweep`,
        raw`\bG1(?:Par[SEC]|CMTask|EvacuateRegions|YoungCollector|Conc|RemSet::|CollectedHeap::do_collection|\w+(?:Task|Closure)(?:::|[<>]))`,
        raw`\b(?:GangWorker::loop|ConcurrentGCThread::run|VM_G1\w+::doit)|PSPromotionManager|PSParallelCompact`,
        raw`^(?:\(garbage collect(?:or|ion)\)|GC\.GC)$|v8::internal::(?:Heap::CollectGarbage|Scavenger|MarkCompact|ConcurrentMarking|Sweeper)`,
        raw`^gc_(?:collect|start|marks|sweep)`,
      ),
      WAITING,
    ],
    advice: "Allocate less; a profile of allocations shows where.",
    hints: [
      [raw`^runtime\.`, "A larger heap (GOGC) is collected less often."],
      [raw`\bG1|\bPSP|\bGangWorker|\bConcurrentGC`, "A larger heap (-Xmx) is collected less often."],
    ],
  },
  {
    name: "Growing arrays and maps",
    of: ["work", "allocations"],
    stacks: [
      focus(
        raw`^runtime\.(?:growslice|hashGrow|growWork|evacuate)|^internal/runtime/maps\.\(\*(?:table|Map)\)\.(?:rehash|grow|split)$`,
        raw`std::vector<.*::_M_realloc_(?:insert|append)|raw_vec::.*(?:grow_one|reserve_for_push)`,
        raw`java[./]util[./]ArrayList\.grow`,
      ),
      ignore(raw`^slices\.Grow|\)\.Grow$|ensureCapacity\b`),
    ],
    advice: "Reserve the final size in advance if it is known: each growth allocates again and copies all elements.",
  },
  {
    name: "Waiting for locks",
    of: ["work", "waiting"],
    stacks: [
      focus(
        raw`^(?:internal/)?sync\.\(\*(?:RW)?Mutex\)\.(?:lockSlow|unlockSlow|rUnlockSlow)`,
        raw`^(?:internal/)?sync\.runtime_Semacquire(?:RW)?Mutex`,
        raw`__lll_lock_wait|futex::Mutex::lock_contended|parking_lot::raw_(?:mutex|rwlock)::.*_slow`,
        raw`ObjectMonitor::enter`,
      ),
    ],
    advice: LESS_LOCKING,
  },
  {
    name: "Waiting for java.util.concurrent locks",
    of: ["work", "waiting"],
    stacks: [
      focus(raw`java[./]util[./]concurrent[./]locks[./]Reentrant(?:ReadWrite)?Lock(?:\$\w+)?\.lock`),
      focus(raw`LockSupport\.park`),
    ],
    advice: LESS_LOCKING,
  },
  {
    name: "Idle Go scheduler",
    stacks: [focus(raw`^runtime\.find[rR]unnable`)],
    advice: "The scheduler looks for work; this is not your code. Sending items over channels in batches reduces it.",
  },
  {
    name: "Exceptions",
    stacks: [
      focus(raw`Throwable\.fillInStackTrace|^__cxa_(?:re)?throw|^_Unwind_RaiseException`),
      ignore(raw`ClassLoader\.loadClass|<clinit>`),
    ],
    advice: "Avoid exceptions for control flow; building a stack trace and unwinding the stack are expensive.",
  },
  {
    name: "Printing without a buffer",
    stacks: [
      focus(raw`^fmt\.F?[pP]rint`),
      focus(raw`^os\.\(\*File\)\.Write`),
      ignore(raw`^bufio\.\(\*(?:ReadWriter|Writer)\)`),
    ],
    advice: "Each call is a system call: print to a bufio.Writer, and flush it at the end.",
  },
  {
    name: "TLS handshakes",
    stacks: [
      focus(
        raw`^crypto/tls\.\(\*Conn\)\.(?:client|server)Handshake|^SSL_(?:do_handshake|connect|accept)`,
        raw`sun[./]security[./]ssl[./]\w*Handshake|rustls::(?:client|server)::(?:hs|tls1\d)`,
      ),
      WAITING,
    ],
    advice:
      "Keep connections open and reuse them (keep-alive, a connection pool): a handshake needs public-key cryptography.",
  },
  {
    name: "JSON",
    of: ["work", "allocations"],
    stacks: [
      focus(
        raw`^encoding/json\.|serde_json::`,
        raw`^json\.(?:loads?|dumps?|decoder|encoder)\b|\bjson/(?:__init__|decoder|encoder|scanner)\.py`,
        raw`com[./]fasterxml[./]jackson|com[./]google[./]gson`,
        raw`v8::internal::Json(?:Parser|Stringifier)|^JSON\.(?:parse|stringify)`,
      ),
      ignore(OBJECT_MAPPER),
      WAITING,
    ],
    advice: "Parse and write each message once, and only the fields that are used.",
    hints: [
      [raw`^encoding/json\.`, "Generated code avoids reflection."],
      [
        raw`^json\.(?:loads?|dumps?|decoder|encoder)\b|\bjson/(?:__init__|decoder|encoder|scanner)\.py`,
        "orjson is faster.",
      ],
    ],
  },
  {
    name: "Creating an ObjectMapper",
    of: ["work", "allocations"],
    stacks: [focus(OBJECT_MAPPER), ONCE],
    advice: "Create one ObjectMapper and share it between threads: a new one inspects every class again.",
  },
];
