/** What is made when it is first needed, and anew when it is needed after a `drop`. */
export function onDemand<T>(make: () => T) {
  let made: T | undefined;
  const get = (): T => {
    made ??= make();
    return made;
  };
  return { get, drop: () => (made = undefined) };
}
