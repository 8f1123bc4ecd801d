/** Bytes that are read from front to back, as protobuf writes numbers and texts. */
export class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isDone() {
    return this.#at === this.#bytes.length;
  }

  varint() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const [byte] = this.take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  /** The next bytes, as many as are wanted. */
  take(length) {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error(`byte ${end} of ${this.#bytes.length} is wanted`);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
