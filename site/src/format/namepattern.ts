/**
 * What a search looks for, as in a profile: text anywhere in a name, or an expression between slashes; case doesn't count.
 * Null for an expression that is not valid.
 */
export function namePattern(search: string): ((name: string) => boolean) | null {
  const text = search.trim();
  if (!/^\/.+\/$/.test(text)) return (name) => name.toLowerCase().includes(text.toLowerCase());
  try {
    const expression = new RegExp(text.slice(1, -1), "i");
    return (name) => expression.test(name);
  } catch {
    return null;
  }
}
