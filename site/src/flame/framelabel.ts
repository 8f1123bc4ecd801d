/** Text that fits its box. */

const ELLIPSIS = "…";

/**
 * Measures text in pixels as the sum of its characters. Measuring is what costs, and a new picture has hundreds of names
 * but few characters. What neighbours take from each other is less than the room around a label.
 */
export function sumOfCharacters(measure: (text: string) => number): (text: string) => number {
  const widths = new Map<string, number>();
  return (text) => {
    let sum = 0;
    for (const character of text) {
      let width = widths.get(character);
      if (width === undefined) {
        width = measure(character);
        widths.set(character, width);
      }
      sum += width;
    }
    return sum;
  };
}

/** The name, else the name without its path, else as much of that as fits with an ellipsis, else nothing. */
export function fitLabel(name: string, width: number, measure: (text: string) => number): string {
  if (measure(name) <= width) return name;
  const base = baseName(name);
  const full = measure(base);
  if (full <= width) return base;
  const room = width - measure(ELLIPSIS);
  let length = Math.floor((base.length * room) / full);
  while (length > 1 && measure(base.slice(0, length)) > room) length--;
  return length < 2 ? "" : base.slice(0, length) + ELLIPSIS;
}

/** Java's way to write a package, in front of a class. Go's `net.Dial` has one part and keeps it. */
const PACKAGE = /^([a-z_]\w*\.){2,}(?=[A-Z])/;

/**
 * `github.com/acme/shop/orders.(*Svc).Place` → `orders.(*Svc).Place`, `java.util.List.add` → `List.add`,
 * `tokio::runtime::task::raw::poll` → `raw::poll`; paths inside brackets are arguments, not the path.
 */
export function baseName(name: string): string {
  const end = name.search(/[([<{ ]/);
  const slash = name.lastIndexOf("/", end < 0 ? undefined : end);
  if (slash > 0 && slash < name.length - 1) return name.slice(slash + 1);
  const colons = lastScopes(name, end);
  return colons > 0 ? name.slice(colons) : name.replace(PACKAGE, "");
}

/** Where the type or module and the function begin in a path of Rust, C++ or Ruby; a type with parameters ends behind them. */
function lastScopes(name: string, end: number): number {
  const path = end < 0 ? name : name.slice(0, end);
  const last = path.lastIndexOf("::");
  if (last <= 0) return 0;
  const isType = name[end] === "<" && name.includes(">::", end);
  const begin = isType ? last : path.lastIndexOf("::", last - 1);
  return begin < 0 ? 0 : begin + 2;
}
