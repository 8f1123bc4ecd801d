/** A value that is made at its first use, and again at the next use after `drop`. */
export function onDemand<T>(make: () => T) {
  let made: T | undefined;
  const get = (): T => {
    made ??= make();
    return made;
  };
  return { get, drop: () => (made = undefined) };
}
