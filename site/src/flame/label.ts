/** Text that fits its box. */

const ELLIPSIS = "…";

/** Measures text in pixels; measuring is what costs, so widths are remembered. */
export function rememberingMeasure(measure: (text: string) => number): (text: string) => number {
  const widths = new Map<string, number>();
  return (text) => {
    let width = widths.get(text);
    if (width === undefined) {
      // Names repeat; what a long session leaves behind is dropped in one go.
      if (widths.size > 20_000) widths.clear();
      width = measure(text);
      widths.set(text, width);
    }
    return width;
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
 * `github.com/acme/shop/orders.(*Svc).Place` → `orders.(*Svc).Place`, `java.util.List.add` → `List.add`; paths inside
 * brackets are arguments, not the path.
 */
export function baseName(name: string): string {
  const end = name.search(/[([<{ ]/);
  const slash = name.lastIndexOf("/", end < 0 ? undefined : end);
  return slash <= 0 || slash === name.length - 1 ? name.replace(PACKAGE, "") : name.slice(slash + 1);
}
