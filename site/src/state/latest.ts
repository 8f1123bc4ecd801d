/** Work that is begun again and again, and of which only the latest counts: `begin` aborts the signal that it gave before. */
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
