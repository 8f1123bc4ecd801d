/** Bytes that grow, with the fields of protobuf. */
export class Bytes {
  #bytes = Buffer.alloc(1 << 10);
  #length = 0;
  /** For messages inside this one. */
  #inner = null;

  number(field, value) {
    return this.#varint(field << 3).#varint(value);
  }

  packed(field, values) {
    return this.message(field, (inner) => {
      for (const value of values) inner.#varint(value);
    });
  }

  text(field, string) {
    const bytes = Buffer.from(string);
    return this.#put(field, bytes, bytes.length);
  }

  message(field, fill) {
    this.#inner ??= new Bytes();
    this.#inner.#length = 0;
    fill(this.#inner);
    return this.#put(field, this.#inner.#bytes, this.#inner.#length);
  }

  taken() {
    return this.#bytes.subarray(0, this.#length);
  }

  #put(field, bytes, length) {
    this.#varint((field << 3) | 2).#varint(length).#room(length);
    bytes.copy(this.#bytes, this.#length, 0, length);
    this.#length += length;
    return this;
  }

  #varint(value) {
    this.#room(10);
    let rest = value;
    // Not with `>>>`: times have more than 32 bits.
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 128;
    this.#bytes[this.#length++] = rest;
    return this;
  }

  #room(more) {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
