/** Which part of a call graph is seen: its scale, and the point in the middle. */
import type { Point, Size } from "../core/arrange.ts";
import type { GraphWindow } from "../state/url/values.ts";

const SMALLEST = 0.05;
const LARGEST = 4;
/** At this scale the smallest text of a node has 11 px. A graph that needs a smaller one is seen in part at first. */
const READABLE = 1;

/** A graph as far as it can be read: all of it, or its top if that has what is `main`, else what is around that. */
export function readable(graph: Size, view: Size, main: Point): GraphWindow {
  return around(graph, view, main, READABLE);
}

/** All of a graph, however small. */
export function fitted(graph: Size, view: Size): GraphWindow {
  const all = Math.min(view.width / (graph.width || 1), view.height / (graph.height || 1), 1);
  return around(graph, view, { x: 0, y: 0 }, Math.max(all, SMALLEST));
}

/** Of the height, a node that is lower than this part of the view would be cut. */
const TOP = 0.9;

function around(graph: Size, view: Size, main: Point, scale: number): GraphWindow {
  const middle = (at: number, all: number, seen: number) =>
    all > seen ? Math.min(Math.max(at, seen / 2), all - seen / 2) : all / 2;
  const [across, down] = [view.width / scale, view.height / scale];
  return [scale, middle(main.x, graph.width, across), middle(main.y < TOP * down ? 0 : main.y, graph.height, down)];
}

/** Grows what is drawn by a factor, and keeps a point of the view in its place. */
export function zoomedAt([scale, x, y]: GraphWindow, view: Size, at: Point, factor: number): GraphWindow {
  const next = Math.min(Math.max(scale * factor, SMALLEST), LARGEST);
  const keep = (middle: number, at: number, size: number) => middle + (at - size / 2) * (1 / scale - 1 / next);
  return [next, keep(x, at.x, view.width), keep(y, at.y, view.height)];
}

/** Moves by pixels; some of the graph stays in view. */
export function moved([scale, x, y]: GraphWindow, graph: Size, by: Point): GraphWindow {
  const within = (value: number, most: number) => Math.min(Math.max(value, 0), most);
  return [scale, within(x + by.x / scale, graph.width), within(y + by.y / scale, graph.height)];
}

/** How much of each edge of the view something lies over. */
export interface Covered {
  left: number;
  right: number;
  bottom: number;
}

/** Moves no further than needed to see a node with some room around it, in the part of the view that is not covered. */
export function showing([scale, x, y]: GraphWindow, view: Size, at: Point, room: Size, covered: Covered): GraphWindow {
  const into = (middle: number, at: number, size: number, room: number, [before, after]: [number, number]) => {
    const half = Math.max(((size - before - after) / scale - room) / 2, 0);
    const aside = (before - after) / 2 / scale;
    return Math.min(Math.max(middle + aside, at - half), at + half) - aside;
  };
  const { left, right, bottom } = covered;
  return [
    scale,
    into(x, at.x, view.width, room.width, [left, right]),
    into(y, at.y, view.height, room.height, [0, bottom]),
  ];
}

export function transformOf([scale, x, y]: GraphWindow, view: Size): string {
  const digits = (value: number) => Number(value.toFixed(2));
  return `translate(${digits(view.width / 2 - x * scale)} ${digits(view.height / 2 - y * scale)}) scale(${Number(scale.toFixed(4))})`;
}

/** As short as an address should be. */
export function rounded([scale, x, y]: GraphWindow): GraphWindow {
  return [Number(scale.toFixed(3)), Math.round(x), Math.round(y)];
}
