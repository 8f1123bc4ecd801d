/** For work of which only the latest run counts: `begin` aborts the signal that it returned before. */
export function latest() {
  let stop = new AbortController();
  const abort = () => stop.abort();
  const begin = (): AbortSignal => {
    abort();
    stop = new AbortController();
    return stop.signal;
  };
  return { begin, abort };
}
