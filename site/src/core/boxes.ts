/** The layout's wire form: six 32-bit words a box, x and width as f32 bits in CSS pixels. */

export const WORDS = 6;

export const Flag = {
  /** Several siblings, each narrower than a pixel, drawn as one; the node is the heaviest of them. */
  Run: 1,
  Match: 2,
  Same: 4,
  New: 8,
  Gone: 16,
  Ancestor: 32,
  Searching: 64,
} as const;

export interface Box {
  x: number;
  width: number;
  depth: number;
  node: number;
  paint: number;
  flags: number;
}

/** Reads boxes by index without copying them. */
export class Boxes {
  readonly count: number;
  /** The tree whose nodes these are, where that is to be known. */
  readonly tree: number | undefined;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #floats: Float32Array<ArrayBuffer>;

  constructor(words: Uint32Array<ArrayBuffer>, tree?: number) {
    this.tree = tree;
    this.#words = words;
    this.#floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    this.count = Math.floor(words.length / WORDS);
  }

  x(i: number): number {
    return this.#floats[i * WORDS];
  }
  width(i: number): number {
    return this.#floats[i * WORDS + 1];
  }
  depth(i: number): number {
    return this.#words[i * WORDS + 2];
  }
  node(i: number): number {
    return this.#words[i * WORDS + 3];
  }
  paint(i: number): number {
    return this.#words[i * WORDS + 4];
  }
  flags(i: number): number {
    return this.#words[i * WORDS + 5];
  }

  at(i: number): Box {
    return {
      x: this.x(i),
      width: this.width(i),
      depth: this.depth(i),
      node: this.node(i),
      paint: this.paint(i),
      flags: this.flags(i),
    };
  }

  /** Index of the box of this node, or -1. */
  find(node: number): number {
    for (let i = 0; i < this.count; i++) if (this.node(i) === node) return i;
    return -1;
  }
}
