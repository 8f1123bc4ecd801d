/** The flame graph's canvas: one draw loop behind a dirty flag, one layout request under way at a time. */
import { type Box, Boxes, Flag } from "../core/boxes.ts";
import type { Layout, LayoutWindow, TreeInfo } from "../core/types.ts";
import { NONE, ROOT } from "../core/types.ts";
import { type Extent, FULL, isFull } from "./extent.ts";
import { sumOfCharacters } from "./framelabel.ts";
import { type Brush, context2d, FONT, makeHatch, paint, paintThumb, ROW } from "./paint.ts";
import type { Palette } from "./palette.ts";
import { between, IDENTITY, type Transform } from "./transform.ts";

const ZOOM_MILLIS = 120;
/** Rows laid out beyond the viewport, so that scrolling meets drawn rows while more are asked for. */
const OVERSCAN = 6;
/** Rows kept above a zoomed frame. */
const CONTEXT_ROWS = 3;

export interface Scene {
  tree: TreeInfo;
  /** What the root says: all there is. */
  label: string;
  zoom: number;
  extent: Extent;
  selected: number;
  current: number;
  /** Changes when flags of boxes have changed. */
  flags: number;
}

/** Boxes as the core laid them out, with the view they were laid out for. */
interface Layer {
  tree: number;
  zoom: number;
  extent: Extent;
  width: number;
  boxes: Boxes;
  names: Map<number, string>;
}

interface Motion {
  start: number;
  from: [number, number];
  to: [number, number];
}

/** How rows are placed. */
export interface Rows {
  /** The depth of the first row; those above it are not drawn. */
  first: number;
  /** From the bottom up: callers stand above what they call. */
  flipped: boolean;
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  scroll = 0;
  /** Called after each new layout, for what mirrors the picture. */
  onLayer: (boxes: Boxes) => void = () => {};
  /** Called when other rows are seen, or more of them. */
  onRows: (scroll: number, height: number) => void = () => {};

  readonly #context: CanvasRenderingContext2D;
  readonly #layout: (tree: number, window: LayoutWindow) => Promise<Layout>;
  readonly #failed: (tree: number, failure: unknown) => void;
  readonly #measure: (text: string) => number;
  readonly #observer: ResizeObserver;
  readonly #rows: Rows;
  #brush: Brush | null = null;
  #scene: Scene | null = null;
  #layer: Layer | null = null;
  #motion: Motion | null = null;
  /** The old boxes, while they grow in a zoom. */
  #growing: Layer | null = null;
  #width = 0;
  #height = 0;
  #requestedKey = "";
  #requesting = false;
  #frame = 0;
  #focused = false;
  #pointed = NONE;
  #covered = 0;

  /** `failed` hears of a layout that failed, of a tree that may have been replaced meanwhile. */
  constructor(
    canvas: HTMLCanvasElement,
    layout: (tree: number, window: LayoutWindow) => Promise<Layout>,
    failed: (tree: number, failure: unknown) => void,
    rows: Rows = { first: 0, flipped: false },
  ) {
    this.canvas = canvas;
    this.#rows = rows;
    this.#layout = layout;
    this.#failed = failed;
    this.#context = context2d(canvas, { alpha: false });
    this.#measure = sumOfCharacters((text) => {
      this.#context.font = FONT;
      return this.#context.measureText(text).width;
    });
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(canvas);
    // The observer first speaks after the next layout: the boxes need not wait for that.
    this.#resize();
  }

  destroy(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#scene = null;
  }

  set palette(palette: Palette) {
    const hatch = {
      fresh: makeHatch(this.#context, palette.ink, true),
      gone: makeHatch(this.#context, palette.ink, false),
    };
    this.#brush = { context: this.#context, palette, hatch, measure: this.#measure };
    this.invalidate();
  }

  set focused(focused: boolean) {
    this.#focused = focused;
    this.invalidate();
  }

  /** The frame that is pointed at in another picture of the same tree, or in this one. */
  set pointed(node: number) {
    this.#pointed = node;
    this.invalidate();
  }

  /** How much of its height something lies over, at the bottom: rows can be scrolled above it. */
  set covered(covered: number) {
    this.#covered = covered;
    this.scrollTo(this.scroll);
    this.invalidate();
  }

  get width(): number {
    return this.#width;
  }

  /** The tree that is shown. */
  get tree(): number | undefined {
    return this.#scene?.tree.id;
  }

  get extent(): Extent {
    return this.#scene?.extent ?? FULL;
  }

  show(scene: Scene | null): void {
    const before = this.#scene;
    this.#scene = scene;
    if (scene && before && scene.tree.id !== before.tree.id) this.scrollTo(this.scroll);
    if (scene && before && scene.zoom !== before.zoom && scene.tree.id === before.tree.id)
      this.#animateZoom(scene.zoom);
    void this.#requestLayout();
    this.invalidate();
  }

  scrollTo(scroll: number): void {
    const limit = Math.max(0, this.#contentHeight() - this.#height + this.#covered);
    const next = Math.min(Math.max(0, scroll), limit);
    if (next === this.scroll) return;
    this.scroll = next;
    this.onRows(next, this.#height);
    void this.#requestLayout();
    this.invalidate();
  }

  /** Scrolls, and beyond the last row the page: a part of the picture may be out of the window. */
  scrollBy(by: number): void {
    const before = this.scroll;
    this.scrollTo(before + (this.#rows.flipped ? -by : by));
    this.canvas.closest(".page")?.scrollBy(0, by - Math.sign(by) * Math.abs(this.scroll - before));
  }

  /** Scrolls only as far as needed to see a row. */
  reveal(depth: number): void {
    const top = (depth - this.#rows.first) * ROW;
    const height = this.#height - this.#covered;
    if (top < this.scroll) this.scrollTo(top - ROW);
    else if (top + 2 * ROW > this.scroll + height) this.scrollTo(top + 2 * ROW - height);
  }

  /** The box under a point of the canvas. */
  hit(x: number, y: number): Box | null {
    const layer = this.#layer;
    if (!layer || layer.tree !== this.#scene?.tree.id) return null;
    const { scale, shift } = this.#transform(layer);
    const { first, flipped } = this.#rows;
    const depth = first + Math.floor(((flipped ? this.#height - y : y) + this.scroll) / ROW);
    for (let i = 0; i < layer.boxes.count; i++) {
      if (layer.boxes.depth(i) !== depth) continue;
      const left = layer.boxes.x(i) * scale + shift;
      const width = layer.boxes.width(i) * scale;
      if (left <= x && x < left + width) return { ...layer.boxes.at(i), x: left, width };
    }
    return null;
  }

  invalidate(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#present(now));
  }

  #present(now: number): void {
    // Else a picture of the old size would be drawn, and another when the observer speaks in the same frame.
    this.#resize();
    if (this.#frame !== 0) this.#draw(now);
  }

  #contentHeight(): number {
    return ((this.#scene?.tree.depth ?? 0) + 1 - this.#rows.first) * ROW;
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [clientWidth * ratio, clientHeight * ratio].map(Math.round);
    if (clientWidth === this.#width && clientHeight === this.#height && width === this.canvas.width) return;
    this.#width = clientWidth;
    this.#height = clientHeight;
    this.canvas.width = width;
    this.canvas.height = height;
    this.scrollTo(this.scroll);
    this.onRows(this.scroll, this.#height);
    void this.#requestLayout();
    // Setting the size has cleared the canvas: draw now, not a frame later.
    this.#draw(performance.now());
  }

  /** Requests the boxes of the current view, unless a request is under way. The newest view wins. */
  async #requestLayout(): Promise<void> {
    if (this.#requesting) return;
    for (let request = this.#nextRequest(); request; request = this.#nextRequest()) {
      this.#requesting = true;
      this.#requestedKey = request.key;
      try {
        const { boxes, names } = await this.#layout(request.tree, request.window);
        this.#accept({ ...request, names: names.set(ROOT, request.label), boxes: new Boxes(boxes, request.tree) });
      } catch (failure) {
        this.#failed(request.tree, failure);
      }
      this.#requesting = false;
    }
  }

  #nextRequest() {
    const scene = this.#scene;
    if (!scene || this.#width === 0) return null;
    const { zoom, extent, tree, label } = scene;
    // Whole steps of rows, so that scrolling by pixels asks only now and then.
    const top = this.#rows.first + Math.floor(this.scroll / ROW / OVERSCAN) * OVERSCAN;
    const rows = Math.ceil(this.#height / ROW) + 2 * OVERSCAN;
    const window = {
      zoom,
      x0: extent[0],
      x1: extent[1],
      width: this.#width,
      depth0: Math.max(this.#rows.first, top - OVERSCAN),
      depth1: top + rows,
    };
    const key = JSON.stringify([tree.id, scene.flags, window]);
    return key === this.#requestedKey ? null : { key, tree: tree.id, label, zoom, extent, width: this.#width, window };
  }

  #accept(layer: Layer): void {
    const scene = this.#scene;
    if (!scene || layer.tree !== scene.tree.id) return;
    const before = this.#layer;
    this.#layer = layer;
    // Zooming out: the new boxes start where they agree with the old picture.
    if (before && before.tree === layer.tree && before.zoom !== layer.zoom && this.#motion === null) {
      const at = layer.boxes.find(before.zoom);
      if (at >= 0 && isFull(layer.extent))
        this.#animate([layer.boxes.x(at), layer.boxes.x(at) + layer.boxes.width(at)], [0, layer.width]);
    }
    this.onLayer(layer.boxes);
    this.invalidate();
  }

  /** Zooming in: the old boxes grow until the new frame fills the width; then the new boxes take over. */
  #animateZoom(zoom: number): void {
    const layer = this.#layer;
    const at = layer ? layer.boxes.find(zoom) : -1;
    this.#motion = null;
    if (!layer || at < 0) return void this.#scrollToRow(zoom === ROOT ? 0 : null);
    const depth = layer.boxes.depth(at);
    const ancestor = (layer.boxes.flags(at) & Flag.Ancestor) !== 0;
    if (!ancestor)
      this.#animate([0, layer.width], [layer.boxes.x(at), layer.boxes.x(at) + layer.boxes.width(at)], layer);
    this.#scrollToRow(depth);
  }

  #scrollToRow(depth: number | null): void {
    if (depth === null) return;
    const row = (depth - this.#rows.first) * ROW;
    const high = row - CONTEXT_ROWS * ROW;
    if (row < this.scroll || row > this.scroll + this.#height / 2) this.scrollTo(high);
  }

  #animate(from: [number, number], to: [number, number], growing: Layer | null = null): void {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#motion = { start: performance.now(), from, to };
    this.#growing = growing;
  }

  /** Where a layer's boxes stand now: it may have been laid out for an earlier extent or width. */
  #transform(layer: Layer): Transform {
    const scene = this.#scene;
    if (!scene || scene.zoom !== layer.zoom) return IDENTITY;
    const [x0, x1] = scene.extent;
    const [l0, l1] = layer.extent;
    const scale = (((l1 - l0) / (x1 - x0)) * this.#width) / layer.width;
    return { scale, shift: ((l0 - x0) / (x1 - x0)) * this.#width };
  }

  #draw(now: number): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;
    const brush = this.#brush;
    if (!brush || this.#width === 0) return;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { layer, transform } = this.#currentLayer(now);
    if (!layer) {
      this.#context.fillStyle = brush.palette.paper;
      this.#context.fillRect(0, 0, canvas.width, canvas.height);
      return;
    }
    const scene = this.#scene;
    paint(brush, {
      boxes: layer.boxes,
      names: layer.names,
      transform,
      width: this.#width,
      height: this.#height,
      scroll: this.scroll,
      ...this.#rows,
      diff: scene?.tree.diff != null,
      selected: scene?.selected ?? NONE,
      current: scene?.current ?? NONE,
      focused: this.#focused,
      pointed: this.#pointed,
    });
    const content = this.#contentHeight();
    const above = this.#rows.flipped ? content - this.#height - this.scroll : this.scroll;
    paintThumb(brush, this.#width, this.#height - this.#covered, above, content);
  }

  #currentLayer(now: number): { layer: Layer | null; transform: Transform } {
    const motion = this.#motion;
    const t = motion ? (now - motion.start) / ZOOM_MILLIS : 1;
    if (!motion || t >= 1) {
      this.#motion = null;
      this.#growing = null;
      return { layer: this.#layer, transform: this.#layer ? this.#transform(this.#layer) : IDENTITY };
    }
    this.invalidate();
    return {
      layer: this.#growing ?? this.#layer,
      transform: between(motion.from, motion.to, Math.max(t, 0), this.#width),
    };
  }
}
