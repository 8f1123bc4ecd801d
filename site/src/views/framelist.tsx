import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Boxes, Flag } from "../core/boxes.ts";
import { core } from "../core/index.ts";
import type { NodeDetail, TreeInfo } from "../core/types.ts";
import { change, percent } from "../format/number.ts";
import { formatValue } from "../format/value.ts";
import { Debounce } from "../settled.ts";
import { callFailed } from "../state/profile/shown.ts";

/** More rows than this nobody listens to; the table view has them all. */
const LIMIT = 200;
/** The list follows the picture when it rests. */
const REST_MILLIS = 120;

/** The drawn frames as a table, for screen readers (and tests): the largest first. */
export function FrameList(props: {
  boxes: ReadonlySignal<Boxes | null>;
  info: TreeInfo | null;
  title?: string;
  testid?: string;
}) {
  const { boxes, info, title, testid = "frames" } = props;
  // Of the tree that they are of: while those of the next one are listed, its unit would be wrong for them.
  const listed = useSignal<{ info: TreeInfo; frames: NodeDetail[] } | null>(null);
  const asked = useRef(info);
  asked.current = info;
  const listing = useRef(new Debounce());
  const drawn = boxes.value;
  useEffect(() => {
    // A new tree is there a moment before its boxes; the nodes of the old ones are none of it.
    if (!drawn || !info || drawn.tree !== info.id) return;
    listing.current.set(() => {
      void core.nodes(info.id, largest(drawn)).then(
        (frames) => {
          if (asked.current === info) listed.value = { info, frames };
        },
        callFailed(info.id, "list the frames"),
      );
    }, REST_MILLIS);
    return () => listing.current.clear();
  }, [drawn, info]);
  if (!info) return null;
  const { frames, info: of } = listed.value ?? { frames: [], info };
  const { unit, inverted } = of;
  return (
    <table class="hidden" data-testid={testid}>
      <caption>{`${title ? `${title}: the` : "The"} ${frames.length} largest frames in view`}</caption>
      <thead>
        <tr>
          <th scope="col">Frame</th>
          <th scope="col">Depth</th>
          <th scope="col">{of.diff ? "Baseline total" : "Total"}</th>
          {(of.diff || !inverted) && <th scope="col">{of.diff ? "Comparison total" : "Self"}</th>}
          <th scope="col">{of.diff ? "Change" : "Share"}</th>
        </tr>
      </thead>
      <tbody>
        {frames.map(({ node, name, depth, total, self, total_exact, fraction, diff }) => (
          <tr key={node} data-node={node} data-total={total_exact}>
            <th scope="row">{name}</th>
            <td>{depth}</td>
            <td>{formatValue(diff ? diff.base_total : total, unit)}</td>
            {(diff || !inverted) && <td>{formatValue(diff ? diff.comparison_total : self, unit)}</td>}
            <td>{diff ? change(diff.base_total, diff.comparison_total) : percent(fraction)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function largest(boxes: Boxes): number[] {
  const order: number[] = [];
  for (let i = 0; i < boxes.count; i++) if ((boxes.flags(i) & Flag.Run) === 0) order.push(i);
  order.sort((a, b) => boxes.width(b) - boxes.width(a) || boxes.depth(a) - boxes.depth(b));
  return order.slice(0, LIMIT).map((i) => boxes.node(i));
}
