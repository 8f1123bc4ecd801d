/** A page that stands alone has the first reader only; what was embedded is pprof. */
export function importProfile(): Promise<never> {
  return Promise.reject(Object.assign(new Error(reason("read")), { name: "unread" }));
}

export function writeProfile(): Promise<never> {
  return Promise.reject(new Error(reason("write")));
}

function reason(verb: string): string {
  return `this exported page can't ${verb} this format; use Pilotlight instead`;
}
