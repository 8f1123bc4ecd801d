import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { annotateOpen } from "../../state/page/annotate.ts";
import { type Problem, problemOf } from "../../state/problem.ts";
import { type Annotation, annotate, annotations, deleteAnnotation } from "../../state/query/annotations.ts";
import { span } from "../../state/query/services.ts";
import { urlState } from "../../state/url/router.ts";
import { formatInstant, toLocalInput } from "../../time/range.ts";
import { parseLocalInput } from "../../time/zone.ts";
import { Icon } from "../controls/icon.tsx";
import { RetryNote } from "../status/retrynote.tsx";
import "../../style/annotate.css";

/** Bytes that the server keeps of a text. */
const LONGEST_TEXT = 256;

/** What is annotated in the range, and one more. */
export function AnnotateDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { value, problem } = annotations.value;
  return (
    <dialog
      class="help annotate"
      ref={dialog}
      aria-labelledby="annotate-title"
      data-testid="annotate"
      onClose={() => (annotateOpen.value = false)}
    >
      <div class="help-head">
        <h2 id="annotate-title">Annotations of this range</h2>
        <button type="button" class="control icon-only" title="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <Form done={() => dialog.current?.close()} />
      {problem && <RetryNote problem={problem} />}
      {value && value.length > 0 && (
        <ul class="annotate-list">
          {value.map((one) => (
            <Listed key={one.id} annotation={one} />
          ))}
        </ul>
      )}
    </dialog>
  );
}

function Form({ done }: { done: () => void }) {
  const { service, window } = urlState.peek();
  const saving = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  // What is selected begins there; else it is about what just happened. The end of a range is no part of it.
  const first = useRef(window?.from ?? Math.min(Date.now(), span.peek().until - 1000));
  const save = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    saving.value = true;
    problem.value = null;
    try {
      await annotate({
        text: text("text"),
        time: parseLocalInput(text("time")),
        ...(text("about") === "service" && { service }),
        ...(text("url") && { url: text("url") }),
      });
      done();
    } catch (failure) {
      problem.value = problemOf(failure, "keep the annotation");
    }
    saving.value = false;
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
        A page about it, if there is one
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
      <button type="submit" class="control primary" disabled={saving.value} data-testid="annotate-save">
        Annotate
      </button>
    </form>
  );
}

/** The first press of its button asks, the second deletes. */
function Listed({ annotation }: { annotation: Annotation }) {
  const { id, time, text, service } = annotation;
  const asked = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const press = async () => {
    if (!asked.value) {
      asked.value = true;
      return;
    }
    try {
      await deleteAnnotation(id);
    } catch (failure) {
      asked.value = false;
      problem.value = problemOf(failure, "delete the annotation");
    }
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
