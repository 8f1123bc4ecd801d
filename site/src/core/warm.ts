/**
 * Work that means nothing, done while a person still looks for a file. Browsers compile a function of WASM quickly at first,
 * and once more and well when it has run for a while: without this, most of the time that a small profile takes is spent in
 * the first kind.
 */
import type { Viewer } from "../wasm/viewer/pilotlight.js";

const STACKS = 3000;
const FUNCTIONS = 5000;
const DEPTH = 30;
const ROUNDS = 3;

/** Opens and draws a made profile as pprof, a few times. */
export function warmUp(viewer: Viewer): void {
  const { id } = viewer.open("", new TextEncoder().encode(stacks()));
  const pprof = viewer.export_pprof(id, []);
  for (let round = 0; round < ROUNDS; round++) {
    const profile = viewer.open("", pprof);
    const tree = viewer.tree(profile.id, 0, [], false);
    const boxes = viewer.layout(tree.id, 0, 0, 1, 1600, 0, DEPTH, "both");
    viewer.names(tree.id, boxes.subarray(3, 4));
    viewer.drop_tree(tree.id);
    viewer.close(profile.id);
  }
  viewer.free();
}

/** Folded stacks, each beginning as the one before does. */
function stacks(): string {
  const stack: string[] = [];
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  const lines = Array.from({ length: STACKS }, () => {
    stack.length = random(stack.length + 1);
    for (let more = random(DEPTH - stack.length) + 1; more > 0; more--) stack.push(`f${random(FUNCTIONS)}`);
    return `${stack.join(";")} 1`;
  });
  return lines.join("\n");
}
