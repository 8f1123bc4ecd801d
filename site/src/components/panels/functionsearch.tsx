import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { percent } from "../../format/number.ts";
import { plural } from "../../format/value.ts";
import { Debounce } from "../../settled.ts";
import { recordTarget } from "../../state/page/record.ts";
import { draft, suggestions } from "../../state/query/function.ts";
import { exploreRoute, go } from "../../state/url/router.ts";
import { RetryNote } from "../status/retrynote.tsx";
import { ExploreLink } from "./explorelink.tsx";

/** How long one types before suggestions are asked for. */
const PAUSE = 200;

/** The search for a function of the service, with the largest where nothing is typed. */
export function FunctionSearch() {
  const { func, service } = exploreRoute.value;
  const typing = useRef(new Debounce());
  useEffect(() => {
    draft.value = "";
    return () => typing.current.clear();
  }, []);
  const { state, value, problem } = suggestions.value;
  const open = func === null || draft.value !== "";
  // Enter opens the first function found, also if it is pressed before the list arrives.
  const wantsFirst = useSignal(false);
  const first = state === "ready" ? value?.functions[0] : undefined;
  const opens = wantsFirst.value && state !== "loading";
  useEffect(() => {
    if (!opens) return;
    wantsFirst.value = false;
    if (first) go({ func: first.name });
  }, [opens, first]);
  return (
    <search class="function-search">
      <div class="function-links">
        <input
          type="search"
          aria-label={`Search for a function in ${service}`}
          placeholder={func ? "Another function" : `Function in ${service}`}
          spellcheck={false}
          data-testid="function-search"
          onInput={({ currentTarget }) => {
            wantsFirst.value = false;
            typing.current.set(() => (draft.value = currentTarget.value.trim()), PAUSE);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.isComposing) {
              typing.current.clear();
              draft.value = event.currentTarget.value.trim();
              wantsFirst.value = draft.value !== "";
            } else if (event.key === "ArrowDown") {
              event.preventDefault();
              document.querySelector<HTMLElement>(".function-suggestions a")?.focus();
            }
          }}
        />
        {func === null && (
          <button
            type="button"
            class="control"
            data-testid="record-whole"
            onClick={() => (recordTarget.value = { func: "", path: [] })}
          >
            Record the entire profile as a metric…
          </button>
        )}
      </div>
      {problem && <RetryNote problem={problem} />}
      {open && value && (
        <>
          {draft.value === "" && <p class="hint">Functions with the largest total:</p>}
          <ul class="function-suggestions" aria-label="Functions" data-testid="function-suggestions" data-state={state}>
            {value.functions.map(({ name, total }) => (
              <li key={name}>
                <ExploreLink class="function-name" patch={{ func: name }} testid="function-suggestion">
                  {name}
                </ExploreLink>
                <span class="num">{percent(total / (value.total || 1))}</span>
              </li>
            ))}
          </ul>
          {state === "ready" && value.functions.length === 0 && (
            <p class="hint">
              {value.profiles === 0
                ? "No profiles in this range."
                : `No function in ${service} matches “${draft.value}”.`}
            </p>
          )}
          {value.coverage.functions > value.functions.length && (
            <p class="hint">
              {plural(
                value.coverage.functions - value.functions.length,
                "smaller function is",
                "smaller functions are",
              )}{" "}
              not listed.
            </p>
          )}
        </>
      )}
      {open && !value && state === "loading" && <p class="hint">Listing functions…</p>}
    </search>
  );
}
