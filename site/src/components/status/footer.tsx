import { describeFrames } from "../../format/facts.ts";
import { files } from "../../state/profile/files.ts";
import { shown } from "../../state/profile/shown.ts";
import { route } from "../../state/url/router.ts";

/** What the answer is made of. */
export function Footer() {
  const answer = shown.value;
  const tree = answer.state === "ready" ? answer.tree : null;
  const [first = "", ...more] = answer.state === "ready" ? answer.facts : [];
  const facts = tree ? [first, describeFrames(tree.nodes, tree.undrawn), ...more] : [];
  // Those of files stand above their picture.
  const ofFile = route.value.page === "file";
  const warnings = answer.state === "ready" && !ofFile ? [...answer.warnings] : [];
  if (tree?.cut) warnings.push(`Callers more than ${tree.cut} frames away are left out: there are too many.`);
  if (tree?.undrawn) warnings.push("Frames without a positive value have no width. Table lists them.");
  return (
    <footer class="foot">
      <span data-testid="facts">{facts.join(" · ")}</span>
      {warnings.length > 0 && (
        <details class="warnings">
          <summary>{warnings.length === 1 ? "1 note" : `${warnings.length} notes`}</summary>
          <ul>
            {warnings.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      {ofFile && files.value.length > 0 && (
        <span class="foot-end">
          {files.value.some(({ address }) => address !== "")
            ? "Fetched and drawn in this tab. Nothing is uploaded."
            : "Opened in this tab. Nothing is uploaded."}
        </span>
      )}
    </footer>
  );
}
