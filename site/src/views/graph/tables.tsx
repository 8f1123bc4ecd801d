import type { Graph, TreeInfo } from "../../core/types.ts";
import { capital } from "../../format/capital.ts";
import { change, percent } from "../../format/number.ts";
import { formatValue, plural } from "../../format/value.ts";
import { group } from "../../state/profile/stepchanges.ts";

/** The graph for screen readers (and tests): its functions, and its calls. */
export function GraphTables({ graph, info }: { graph: Graph; info: TreeInfo }) {
  const { nodes, edges, functions } = graph;
  const { unit, diff } = info;
  const byTotal = [...nodes].sort((a, b) => b.total - a.total);
  const byValue = [...edges].sort((a, b) => b.total - a.total);
  return (
    <div class="hidden">
      <table data-testid="graph-functions">
        <caption>{`${nodes.length} of ${plural(functions, group.value)}, the largest first`}</caption>
        <thead>
          <tr>
            <th scope="col">{capital(group.value)}</th>
            <th scope="col">{diff ? "Baseline total" : "Total"}</th>
            <th scope="col">{diff ? "Comparison total" : "Self"}</th>
            <th scope="col">{diff ? "Change" : "Share"}</th>
          </tr>
        </thead>
        <tbody>
          {byTotal.map(({ func, name, total, self, total_fraction, diff: sides }) => (
            <tr key={func} data-func={func} data-total={total} data-self={self}>
              <th scope="row">{name}</th>
              <td>{formatValue(sides ? sides.base_total : total, unit)}</td>
              <td>{formatValue(sides ? sides.comparison_total : self, unit)}</td>
              <td>{sides ? change(sides.base_total, sides.comparison_total) : percent(total_fraction)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table data-testid="graph-calls">
        <caption>{`${edges.length} calls, the largest first`}</caption>
        <thead>
          <tr>
            <th scope="col">Caller</th>
            <th scope="col">Callee</th>
            <th scope="col">{diff ? "Values" : "Value"}</th>
            <th scope="col">{diff ? "Change" : "Share"}</th>
          </tr>
        </thead>
        <tbody>
          {byValue.map(({ from, to, total, base, comparison, fraction, residual }) => (
            <tr key={`${from} ${to}`} data-total={total} data-residual={residual}>
              <th scope="row">{nodes[from].name}</th>
              <td>{nodes[to].name}</td>
              <td>
                {diff ? `${formatValue(base, unit)} → ${formatValue(comparison, unit)}` : formatValue(total, unit)}
              </td>
              <td>{diff ? change(base, comparison) : percent(fraction)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
