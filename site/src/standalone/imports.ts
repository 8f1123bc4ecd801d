/** A page that stands alone has the first reader only; what was embedded is pprof. */
export function importProfile(): Promise<never> {
  const reason = "this page alone does not read the format of this file; Pilotlight's own pages may";
  return Promise.reject(Object.assign(new Error(reason), { name: "unread" }));
}
