/** Stacks as profilers of several languages record them: those that a rule of "Explain" is about, and others that look alike. */

export const RULES = {
  "Compiling regular expressions": {
    fires: [
      "main.main;net/http.(*conn).serve;main.validate;regexp.MustCompile;regexp.compile;regexp/syntax.Parse",
      "java.lang.Thread.run;com.acme.Shop.clean;java.lang.String.replaceAll;java.util.regex.Pattern.compile",
      "<module> (app.py:1);handle (app.py:8);_compile (re.py:288);compile (sre_compile.py:759)",
      "main;shop::clean;regex::regex::string::Regex::new;regex_automata::meta::regex::Builder::build_many_from_hir",
      "main;clean;std::__cxx11::basic_regex<char>::_M_compile(char const*);std::__detail::_Compiler<std::regex_traits<char>>::_M_disjunction()",
    ],
    silent: [
      "runtime.main;runtime.doInit1;main.init;regexp.MustCompile;regexp.compile",
      "main.main;sync.(*Once).doSlow;main.load;regexp.MustCompile;regexp.compile",
      "java.lang.Thread.run;com.acme.Shop.<clinit>;java.util.regex.Pattern.compile",
      "<module> (app.py:1);_find_and_load (<frozen importlib._bootstrap>:1007);compile (sre_compile.py:759)",
      "main;shop::clean;std::sys::sync::once::futex::Once::call;regex::regex::string::Regex::new",
      "main.main;regexp.(*Regexp).FindString;regexp.(*Regexp).doExecute",
    ],
  },
  "Creating compressors": {
    fires: [
      "main.main;main.reply;compress/gzip.(*Writer).Write;compress/flate.NewWriter;runtime.newobject",
      "main;reply;deflateInit2_;calloc",
    ],
    silent: ["runtime.main;runtime.doInit1;main.init;compress/flate.NewWriter"],
  },
  Compression: {
    fires: [
      "main.main;main.reply;compress/gzip.(*Writer).Write;compress/flate.(*Writer).Write;compress/flate.(*compressor).deflate",
      "java.lang.Thread.run;java.util.zip.GZIPOutputStream.write;java.util.zip.Deflater.deflateBytesBytes",
      "main;save;deflate;deflate_slow;longest_match",
      "main;save;ZSTD_compressStream2;ZSTD_compressBlock_fast",
    ],
    silent: [
      "main.main;compress/gzip.(*Reader).Read;compress/flate.(*decompressor).huffmanBlock",
      "main;load;inflate;inflate_fast",
      "main;load;ZSTD_decompressStream;ZSTD_decompressBlock_internal",
      "java.lang.Thread.run;java.util.zip.Inflater.inflateBytesBytes",
    ],
  },
  "Garbage collection": {
    fires: [
      "runtime.gcBgMarkWorker;runtime.systemstack;runtime.gcBgMarkWorker.func2;runtime.gcDrain;runtime.scanobject",
      "main.main;main.work;runtime.mallocgc;runtime.gcAssistAlloc;runtime.gcDrainN",
      "thread_native_entry;WorkerThread::run;G1ParEvacuateFollowersClosure::do_void;G1ParScanThreadState::steal_and_trim_queue",
      "thread_start;Thread::call_run;GangWorker::loop;G1BatchedGangTask::work;G1ClearBitMapTask::work;BitMap::clear_range",
      "thread_start;Thread::call_run;ConcurrentGCThread::run;G1ConcurrentMarkThread::run_service;G1ConcurrentMark::add_to_liveness",
      "thread_start;VMThread::run;VM_G1CollectForAllocation::doit;G1CollectedHeap::do_collection_pause_at_safepoint",
      "main;work;(garbage collector)",
      "main;work;gc_collect_main;deduce_unreachable",
    ],
    silent: [
      "runtime.gcBgMarkWorker;runtime.gopark",
      "runtime.bgsweep;runtime.goparkunlock;runtime.gopark",
      "thread_native_entry;WorkerThread::run;Semaphore::wait;__pthread_cond_wait",
      "libjvm.dylib.Thread::call_run;libjvm.dylib.GangWorker::loop;libsystem_kernel.dylib.semaphore_wait_trap",
      "GangWorker::loop;PosixSemaphore::wait;libc.so.6.__new_sem_wait_slow64.constprop.0;libc.so.6.__futex_abstimed_wait_common",
      "ConcurrentGCThread::run;G1ConcurrentRefineThread::run_service;libc.so.6.__futex_abstimed_wait_common",
      "java/lang/Thread.run;java/util/Arrays.copyOf;G1CollectedHeap::humongous_obj_allocate",
      "thread_start;CompileBroker::compiler_thread_loop;G1BarrierSetC2::post_barrier",
      "java/lang/Thread.run;com.app.G1ReportTask.run",
      "main.main;main.work;runtime.mallocgc;runtime.nextFreeFast",
    ],
  },
  "Growing arrays and maps": {
    fires: [
      "main.main;main.collect;runtime.growslice;runtime.memmove",
      "main.main;main.index;runtime.mapassign;internal/runtime/maps.(*table).rehash;internal/runtime/maps.(*table).grow",
      "main;collect;std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>",
      "main;shop::collect;alloc::raw_vec::RawVec<T,A>::grow_one;alloc::raw_vec::finish_grow",
      "java.lang.Thread.run;com.acme.Shop.collect;java.util.ArrayList.add;java.util.ArrayList.grow",
    ],
    silent: [
      "main.main;main.collect;slices.Grow[...];runtime.growslice",
      "main.main;main.collect;bytes.(*Buffer).Grow;bytes.(*Buffer).grow;bytes.growSlice;runtime.growslice",
      "main.main;main.collect;runtime.makeslice;runtime.mallocgc",
      "main;shop::collect;alloc::vec::Vec<T,A>::with_capacity_in;alloc::raw_vec::RawVec<T,A>::try_allocate_in",
      "main;shop::collect;alloc::vec::Vec<T>::reserve;alloc::raw_vec::RawVecInner<A>::reserve::do_reserve_and_handle",
    ],
  },
  "Waiting for locks": {
    fires: [
      "main.main;main.count;sync.(*Mutex).Lock;sync.(*Mutex).lockSlow;runtime.procyield",
      "main.main;main.count;internal/sync.(*Mutex).lockSlow;internal/sync.runtime_SemacquireMutex;runtime.semacquire1;runtime.futex",
      "main;count;___pthread_mutex_lock;__lll_lock_wait;futex_wait",
      "main;shop::count;std::sys::sync::mutex::futex::Mutex::lock_contended;syscall",
    ],
    silent: [
      "runtime.mcall;runtime.park_m;runtime.schedule;runtime.stopm;runtime.futexsleep;runtime.futex",
      "main.main;main.count;sync.(*Mutex).Lock",
      "main;worker;__pthread_cond_wait;futex_wait",
      "main.main;sync.(*WaitGroup).Wait;sync.runtime_Semacquire;runtime.gopark",
      "main;count;___pthread_mutex_lock",
    ],
  },
  "Waiting for java.util.concurrent locks": {
    fires: [
      "java.lang.Thread.run;com.acme.Shop.count;java.util.concurrent.locks.ReentrantLock.lock;java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire;java.util.concurrent.locks.LockSupport.park;jdk.internal.misc.Unsafe.park",
    ],
    silent: [
      "java.lang.Thread.run;java.util.concurrent.LinkedBlockingQueue.take;java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await;java.util.concurrent.locks.LockSupport.park",
      "java.lang.Thread.run;com.acme.Shop.count;java.util.concurrent.locks.ReentrantLock.lock",
    ],
  },
  "Idle Go scheduler": {
    fires: [
      "runtime.mcall;runtime.park_m;runtime.schedule;runtime.findRunnable;runtime.stopm;runtime.futexsleep;runtime.futex",
      "runtime.mcall;runtime.park_m;runtime.schedule;runtime.findRunnable;runtime.netpoll;internal/runtime/syscall.EpollWait",
    ],
    silent: [
      "main.main;main.send;runtime.chansend1;runtime.goready;runtime.ready;runtime.wakep;runtime.futexwakeup;runtime.futex",
      "runtime.mcall;runtime.park_m;runtime.schedule;runtime.execute",
    ],
  },
  Exceptions: {
    fires: [
      "java.lang.Thread.run;com.acme.Shop.parse;java.lang.Integer.parseInt;java.lang.Throwable.<init>;java.lang.Throwable.fillInStackTrace",
      "main;parse(char const*);__cxa_throw;_Unwind_RaiseException;_Unwind_Find_FDE",
    ],
    silent: [
      "java.lang.Thread.run;com.acme.Shop.load;java.lang.ClassLoader.loadClass;java.lang.ClassNotFoundException.<init>;java.lang.Throwable.fillInStackTrace",
      "main;malloc_hook;backtrace;_Unwind_Backtrace",
    ],
  },
  "Printing without a buffer": {
    fires: ["main.main;main.list;fmt.Println;fmt.Fprintln;os.(*File).Write;syscall.write"],
    silent: [
      "main.main;main.list;fmt.Fprintln;bufio.(*Writer).Flush;os.(*File).Write;syscall.write",
      "main.main;main.list;fmt.Fprintf;fmt.(*pp).doPrintf",
      "main.main;main.save;os.(*File).Write;syscall.write",
    ],
  },
  "TLS handshakes": {
    fires: [
      "main.main;net/http.(*Transport).dialConn;crypto/tls.(*Conn).handshakeContext;crypto/tls.(*Conn).clientHandshake;crypto/x509.(*Certificate).Verify",
      "main;connect_to;SSL_connect;SSL_do_handshake;EVP_PKEY_verify",
      "java.lang.Thread.run;sun.security.ssl.TransportContext.dispatch;sun.security.ssl.HandshakeContext.dispatch;sun.security.ssl.CertificateVerify$T13CertificateVerifyConsumer.consume",
    ],
    silent: [
      "main.main;crypto/tls.(*Conn).Write;crypto/tls.(*halfConn).encrypt",
      "main.main;crypto/tls.(*Conn).clientHandshake;crypto/tls.(*Conn).readRecord;internal/poll.(*FD).Read;runtime.gopark",
      "main;reply;SSL_write;EVP_EncryptUpdate",
    ],
  },
  JSON: {
    fires: [
      "main.main;main.reply;encoding/json.Marshal;encoding/json.(*encodeState).marshal;reflect.Value.Field",
      "<module> (app.py:1);handle (app.py:8);loads (json/__init__.py:346);raw_decode (json/decoder.py:355)",
      "java.lang.Thread.run;com.acme.Shop.read;com.fasterxml.jackson.databind.ObjectMapper.readValue",
      "main;shop::read;serde_json::de::from_slice",
    ],
    silent: [
      "main.main;main.follow;encoding/json.(*Decoder).Decode;net.(*conn).Read;internal/poll.(*FD).Read;runtime.gopark",
      "java.lang.Thread.run;com.acme.shop.json.Catalog.sort",
    ],
  },
  "Creating an ObjectMapper": {
    fires: ["java.lang.Thread.run;com.acme.Shop.read;com.fasterxml.jackson.databind.ObjectMapper.<init>"],
    silent: ["java.lang.Thread.run;com.acme.Shop.<clinit>;com.fasterxml.jackson.databind.ObjectMapper.<init>"],
  },
};

/** Work that no rule is about. */
export const NO_RULE = [
  "main.main;checkout.(*Service).Place;orders.Total",
  "java.lang.Thread.run;com.acme.logging.Shipper.run",
  "runtime.mstart;runtime.sysmon;runtime.usleep",
  "main.main;net/http.(*conn).serve;runtime.netpollblock;runtime.gopark",
  "main;read_events;epoll_wait",
  "main;render_catalog;malloc;_int_malloc",
];
