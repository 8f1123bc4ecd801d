import type { ComponentChildren } from "preact";
import type { Problem } from "../../state/problem.ts";
import { Icon } from "../controls/icon.tsx";

/** What failed, what it means, what to try; the technical text is folded. */
export function ProblemNote({ problem, children }: { problem: Problem; children?: ComponentChildren }) {
  return (
    <section class="note" role="alert" data-testid="problem">
      <h2>{problem.title}</h2>
      <p>{problem.meaning}</p>
      <ul>
        {problem.tries.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {children && <div class="note-actions">{children}</div>}
      {problem.detail !== problem.meaning && (
        <details>
          <summary>Technical details</summary>
          <pre>{problem.detail}</pre>
        </details>
      )}
    </section>
  );
}

/** Files that could not be read: a line each, so that what could be read keeps the page. */
export function FailureList({ problems, dismiss }: { problems: Problem[]; dismiss: (gone: Problem[]) => void }) {
  if (problems.length === 0) return null;
  return (
    <section class="failures" role="alert" aria-label="Files that could not be read">
      <ul>
        {problems.map((problem, i) => (
          <li key={`${i} ${problem.title}`} data-testid="problem">
            <details open={problems.length === 1}>
              <summary>
                <b>{problem.title}</b> <span>{problem.meaning}</span>
              </summary>
              <ul>
                {problem.tries.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
              {problem.detail !== problem.meaning && <pre>{problem.detail}</pre>}
            </details>
            <button
              type="button"
              class="control icon-only quiet"
              title={`Dismiss: ${problem.title}`}
              onClick={() => dismiss([problem])}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {problems.length > 1 && (
        <button type="button" class="link" onClick={() => dismiss(problems)}>
          Dismiss all {problems.length}
        </button>
      )}
    </section>
  );
}

/** A calm message in the middle: why it is empty, and what one can do. */
export function Note({ title, children, testid }: { title: string; children: ComponentChildren; testid: string }) {
  return (
    <section class="note" data-testid={testid}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
