import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useAction } from "../../state/action.ts";
import { annotateOpen } from "../../state/page/annotate.ts";
import { type Annotation, annotate, annotations, deleteAnnotation } from "../../state/query/annotations.ts";
import { span } from "../../state/query/services.ts";
import { refresh } from "../../state/url/clock.ts";
import { exploreRoute } from "../../state/url/router.ts";
import { formatInstant, readLocalInput, toLocalInput } from "../../time/range.ts";
import { Dialog } from "../controls/dialog.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import "../../style/annotate.css";

/** Bytes that the server keeps of a text. */
const LONGEST_TEXT = 256;

/** What is annotated in the range, and one more. */
export function AnnotateDialog() {
  const { value, problem } = annotations.value;
  return (
    <Dialog
      class="annotate"
      title="Annotations in this range"
      testid="annotate"
      onClose={() => (annotateOpen.value = false)}
    >
      {(close) => (
        <>
          <Form done={close} />
          {problem && <RetryNote problem={problem} />}
          {value && value.length > 0 && (
            <ul class="annotate-list">
              {value.map((one) => (
                <Listed key={one.id} annotation={one} />
              ))}
            </ul>
          )}
        </>
      )}
    </Dialog>
  );
}

function Form({ done }: { done: () => void }) {
  const { service, base, window } = exploreRoute.peek();
  const { running, problem, run } = useAction("save the annotation");
  // What is selected begins there; else it is about what just happened. The end of a range is no part of it.
  const latest = base.until === "now" ? Date.now() : Math.min(Date.now(), span.peek().until - 1000);
  const first = useRef(window?.from ?? latest);
  const save = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    await run(async () => {
      await annotate({
        text: text("text"),
        time: readLocalInput(text("time"), first.current),
        ...(text("about") === "service" && { service }),
        ...(text("url") && { url: text("url") }),
      });
      done();
      // What was shown ends before it.
      if (base.until === "now") refresh();
    });
  };
  return (
    <form class="annotate-form" onSubmit={(event) => void save(event)}>
      <label>
        What happened
        <input
          name="text"
          required
          pattern=".*\S.*"
          maxLength={LONGEST_TEXT}
          placeholder="cache switched off"
          data-testid="annotate-text"
          autofocus
        />
      </label>
      <label>
        When
        <input
          name="time"
          type="datetime-local"
          step="1"
          required
          defaultValue={toLocalInput(first.current)}
          data-testid="annotate-time"
        />
      </label>
      <label>
        Link (optional)
        <input name="url" type="url" pattern="https?://.*" placeholder="https://…" data-testid="annotate-url" />
      </label>
      <label>
        About
        <select name="about" class="control" data-testid="annotate-about">
          <option value="service">{service}</option>
          <option value="all">all services</option>
        </select>
      </label>
      {problem.value && (
        <p role="alert" data-testid="annotate-problem">
          {problem.value.title}. {problem.value.meaning}
        </p>
      )}
      <button type="submit" class="control primary" disabled={running.value} data-testid="annotate-save">
        Annotate
      </button>
    </form>
  );
}

/** The first press of its button asks, the second deletes. */
function Listed({ annotation }: { annotation: Annotation }) {
  const { id, time, text, service } = annotation;
  const asked = useSignal(false);
  const { problem, run } = useAction("delete the annotation");
  const press = async () => {
    if (asked.value) await run(() => deleteAnnotation(id));
    asked.value = !asked.value;
  };
  return (
    <li data-testid="annotation">
      <span>
        {formatInstant(time)} {text} <span class="soft">{service ?? "all services"}</span>
        {problem.value && <small role="alert"> {problem.value.meaning}</small>}
      </span>
      <button
        type="button"
        class="control"
        aria-label={asked.value ? `Delete “${text}” for everyone` : `Delete “${text}”`}
        data-testid="annotation-delete"
        onClick={() => void press()}
        onBlur={() => (asked.value = false)}
      >
        {asked.value ? "For everyone?" : "Delete"}
      </button>
    </li>
  );
}
