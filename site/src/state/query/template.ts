/** Addresses of other systems, from templates that people have set. */

/**
 * The address that a template gives: each `{name}` is the value of that name, encoded. Null if a name is unknown, or if it is
 * no address of the web: the template may be anybody's.
 */
export function filled(template: string, values: Record<string, string>): string | null {
  let known = true;
  const text = template.trim().replace(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) known = false;
    return encodeURIComponent(values[name] ?? "");
  });
  return known && /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : null;
}
