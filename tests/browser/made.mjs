/** Profiles of extreme sizes, the same in each run, written as pprof or folded stacks. */

/** Bytes of protobuf messages, as they are written. */
class Message {
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;

  #reserve(more) {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + more));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  varint(number) {
    this.#reserve(10);
    let left = number;
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes[this.#length++] = (left % 128) | 128;
    this.#bytes[this.#length++] = left;
    return this;
  }

  number(field, number) {
    return this.varint(field * 8).varint(number);
  }

  bytes(field, bytes) {
    this.varint(field * 8 + 2).varint(bytes.length);
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  get done() {
    return this.#bytes.subarray(0, this.#length);
  }

  clear() {
    this.#length = 0;
    return this;
  }
}

/**
 * A pprof of CPU nanoseconds. Samples are `{ stack, value, labels }`: indices into `functions`, the leaf first, and pairs of
 * indices into `texts`.
 */
function pprof(functions, samples, texts = []) {
  const file = new Message();
  const [part, inner] = [new Message(), new Message()];
  const type = Buffer.from(part.number(1, 1).number(2, 2).done);
  const strings = ["", "cpu", "nanoseconds", ...functions, ...texts];
  const [firstFunction, firstText] = [3, 3 + functions.length];
  file.bytes(1, type);
  for (const { stack, value, labels = [] } of samples) {
    part.clear();
    inner.clear();
    for (const id of stack) inner.varint(id + 1);
    part.bytes(1, inner.done).bytes(2, inner.clear().varint(value).done);
    for (const [key, text] of labels)
      part.bytes(
        3,
        inner
          .clear()
          .number(1, firstText + key)
          .number(2, firstText + text).done,
      );
    file.bytes(2, part.done);
  }
  for (const id of functions.keys()) {
    const line = inner.clear().number(1, id + 1).done;
    file.bytes(
      4,
      part
        .clear()
        .number(1, id + 1)
        .bytes(4, line).done,
    );
    file.bytes(
      5,
      part
        .clear()
        .number(1, id + 1)
        .number(2, firstFunction + id).done,
    );
  }
  for (const text of strings) file.bytes(6, Buffer.from(text));
  return file.bytes(11, type).number(12, 10_000_000).done;
}

/** Numbers that look random, 0 to below `most`. */
function random() {
  let state = 12_345;
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * most);
  };
}

/** One stack of so many frames, and a short one beside it. Folded. */
export function deep(depth) {
  const frames = Array.from({ length: depth }, (_, i) => `level_${i}`);
  return `${frames.join(";")} 900\nlevel_0;beside 100\n`;
}

/** A function with so many callees; each is a little larger than the one before. Folded. */
export function wide(callees) {
  return Array.from({ length: callees }, (_, i) => `main;dispatch;handler_${i} ${i + 1}\n`).join("");
}

/** Samples that all have `keys` labels, of which each has `values` different values. */
export function labelled(keys, values) {
  const texts = [...Array.from({ length: keys }, (_, i) => `key_${i}`)];
  for (let i = 0; i < values; i++) texts.push(`value_${i}`);
  const samples = Array.from({ length: values }, (_, i) => ({
    stack: [2 + (i % 50), 1, 0],
    value: 1000 + i,
    labels: Array.from({ length: keys }, (_, key) => [key, keys + ((i + key) % values)]),
  }));
  const functions = ["main", "serve", ...Array.from({ length: 50 }, (_, i) => `work_${i}`)];
  return pprof(functions, samples, texts);
}

/** Nearly every one of `count` stacks is another, of some 25 frames; and the total of all. */
export function large(count) {
  const next = random();
  const functions = Array.from({ length: 5000 }, (_, i) => `example.com/shop/package${i % 97}.(*Server).method${i}`);
  let total = 0;
  const samples = Array.from({ length: count }, () => {
    const stack = [next(3)];
    // Near the root stacks go a few ways, further out each its own.
    while (stack.length < 22) stack.push((stack.at(-1) * 31 + stack.length + 7 * next(2)) % 5000);
    for (let i = next(8); i > 0; i--) stack.push(next(5000));
    const value = 10_000_000 * (1 + next(3));
    total += value;
    return { stack: stack.reverse(), value };
  });
  return { bytes: pprof(functions, samples), total };
}
