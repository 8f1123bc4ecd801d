import type { ComponentChildren } from "preact";
import type { Problem } from "../state/problem.ts";

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
      <details>
        <summary>Technical details</summary>
        <pre>{problem.detail}</pre>
      </details>
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
