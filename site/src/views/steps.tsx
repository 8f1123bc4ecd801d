import { useSignal } from "@preact/signals";
import { Icon } from "../components/controls/icon.tsx";
import { Menu } from "../components/controls/menu.tsx";
import { Select } from "../components/controls/select.tsx";
import { core } from "../core/index.ts";
import { GROUPS, type Group, PATTERN_VERBS, type PatternVerb } from "../core/steps.ts";
import { percent } from "../format/number.ts";
import { stepLabel } from "../format/step.ts";
import { formatExact, formatValue } from "../format/value.ts";
import { shown } from "../state/profile/shown.ts";
import {
  addStep,
  clearSteps,
  group,
  removeStep,
  setGroup,
  takesSteps,
  toggleInvert,
  toggleRecursion,
} from "../state/profile/steps.ts";
import { undo, urlState } from "../state/url/router.ts";
import type { View } from "../state/url/urlstate.ts";

/** What stands between the profile and its picture, in order, and how much of the profile is left. */
export function Steps() {
  const { steps } = urlState.value;
  const answer = shown.value;
  if (steps.length === 0 || answer.state !== "ready" || !takesSteps.value) return null;
  const { total, whole, whole_exact, total_exact, unit, unmatched } = answer.tree;
  return (
    <div class="steps" data-testid="steps">
      {steps.map((step, i) => {
        const idle = unmatched.includes(i);
        return (
          <button
            type="button"
            class={idle ? "chip idle" : "chip"}
            key={`${i}${step}`}
            title={`${idle ? "Matches nothing. " : ""}Remove ${step}`}
            data-testid="step"
            onClick={() => removeStep(i)}
          >
            {stepLabel(step)}
            {idle && ", matches nothing"}
            <Icon name="close" />
          </button>
        );
      })}
      {answer.stepProblem ? (
        <span role="alert" data-testid="step-problem">
          {`Without filters: ${answer.stepProblem}`}
        </span>
      ) : (
        <span
          class="steps-share"
          title={`${formatExact(total_exact, unit)} of ${formatExact(whole_exact, unit)}`}
          data-testid="steps-share"
        >
          {total === 0 ? "nothing is left" : percent(whole > 0 ? total / whole : 0)} of {formatValue(whole, unit)}
        </span>
      )}
      <button type="button" class="link" title="Undo (z); redo with Shift+Z" data-testid="undo" onClick={undo}>
        Undo
      </button>
      <button type="button" class="link" data-testid="clear-steps" onClick={clearSteps}>
        Clear
      </button>
    </div>
  );
}

/** Views that show a tree upside down. */
const INVERTED: View[] = ["flame", "both", "tree"];

/** What a frame is, which way up, and filters that are typed. */
export function StepTools() {
  if (!takesSteps.value) return null;
  const { invert, view } = urlState.value;
  return (
    <div class="step-tools">
      <Select
        label="Group by"
        testid="group"
        value={group.value}
        options={GROUPS.map((value) => ({ value, label: `by ${value}` }))}
        onChange={(value) => setGroup(value as Group)}
      />
      {INVERTED.includes(view) && (
        <button
          type="button"
          class="control toggle"
          aria-pressed={invert}
          title="Upside down: callers below what they call (v)"
          data-testid="invert"
          onClick={toggleInvert}
        >
          Invert
        </button>
      )}
      <Menu
        label={
          <>
            <Icon name="plus" />
            <span class="wide">filter</span>
          </>
        }
        title="Add a filter of frames"
        class="control quiet"
        testid="step-add"
      >
        {(close) => <AddStep close={close} />}
      </Menu>
    </div>
  );
}

const HELP: Record<PatternVerb, string> = {
  focus: "Only stacks with such a frame",
  ignore: "No stacks with such a frame",
  hide: "Without such frames; their callees are called by their callers",
  show: "Only such frames",
  "show-from": "Stacks begin at the outermost such frame",
  "prune-from": "Stacks end at the innermost such frame",
};

function AddStep({ close }: { close: () => void }) {
  const verb = useSignal<PatternVerb>("focus");
  const text = useSignal("");
  const wrong = useSignal("");
  const add = async () => {
    const step = `${verb.peek()}:${text.peek()}`;
    if (!text.peek()) return;
    const problem = await core.stepProblem(step);
    if (problem !== null) wrong.value = problem;
    else {
      close();
      addStep(step);
    }
  };
  return (
    <div class="add-filter">
      <Select
        label="What to do"
        testid="step-verb"
        value={verb.value}
        options={PATTERN_VERBS.map((value) => ({ value, label: value.replace("-", " ") }))}
        onChange={(value) => (verb.value = value as PatternVerb)}
      />
      <p class="hint">{HELP[verb.value]}.</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          aria-label="Regular expression of a name or file"
          placeholder="^runtime\."
          data-testid="step-pattern"
          value={text}
          aria-invalid={wrong.value !== ""}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            wrong.value = "";
          }}
        />
        <button type="submit" class="control">
          Add
        </button>
        {wrong.value && (
          <p role="alert" data-testid="step-wrong">
            {wrong}
          </p>
        )}
      </form>
      <div class="menu-list apart">
        <button
          type="button"
          data-testid="fold-recursion"
          onClick={() => {
            close();
            toggleRecursion();
          }}
        >
          Fold recursion (r)
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            addStep("recursion:cycles");
          }}
        >
          Fold cycles
        </button>
      </div>
    </div>
  );
}
