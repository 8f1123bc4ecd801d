import { useSignal } from "@preact/signals";
import { Icon } from "../components/controls/icon.tsx";
import { Menu } from "../components/controls/menu.tsx";
import { Select } from "../components/controls/select.tsx";
import { lazy } from "../components/lazy.tsx";
import { PatternForm } from "../components/query/patternform.tsx";
import { core } from "../core/index.ts";
import { GROUPS, type Group, PATTERN_VERBS, type PatternVerb, TAG_VERBS, type TagVerb, timeOf } from "../core/steps.ts";
import { capital } from "../format/capital.ts";
import { percent } from "../format/number.ts";
import { idleReason, spanLabel, stepLabel } from "../format/step.ts";
import { formatExact, formatValue, unitOf } from "../format/value.ts";
import { shown } from "../state/profile/shown.ts";
import {
  addStep,
  askedGroup,
  clearSteps,
  removeStep,
  setAgainst,
  setGroup,
  takesSteps,
  toggleInvert,
  toggleRecursion,
  undoInTurn,
} from "../state/profile/stepchanges.ts";
import { comparedTime } from "../state/url/comparedtime.ts";
import type { View } from "../state/url/route.ts";
import { fileRoute, pictureRoute } from "../state/url/router.ts";

const SidesLeft = lazy(() => import("./legend.tsx").then((module) => module.SidesLeft));
const LabelPicker = lazy(() => import("./labelpicker.tsx").then((module) => module.LabelPicker));

/** What stands between the profile and its picture, in order, and how much of the profile is left. */
export function Steps() {
  const { steps } = pictureRoute.value;
  const { against, embed } = fileRoute.value;
  const isCompared = comparedTime.value !== null;
  const answer = shown.value;
  if (steps.length === 0 || answer.state !== "ready" || !takesSteps.value) return null;
  const { diff, whole, whole_exact, unmatched } = answer.tree;
  const all = answer.tree.left ?? answer.tree;
  const unit = unitOf(all);
  const left = diff ? diff.base + diff.comparison : all.total;
  const exact = diff ? undefined : `${formatExact(all.total_exact, unit)} of ${formatExact(whole_exact, unit)}`;
  return (
    <div class="steps" data-testid="steps">
      {steps.map((step, i) => {
        const reason = unmatched.includes(i) && idleReason(step);
        return (
          <button
            type="button"
            class={["chip", reason && "idle", isCompared && timeOf(step) && "baseline"].filter(Boolean).join(" ")}
            key={`${i}${step}`}
            title={`${reason ? `${capital(reason)}. ` : ""}Remove ${step}`}
            data-testid="step"
            onClick={() => removeStep(i)}
          >
            {stepLabel(step)}
            {reason && `, ${reason}`}
            <Icon name="close" />
          </button>
        );
      })}
      {against && (
        <button
          type="button"
          class={isCompared ? "chip comparison" : "chip idle"}
          title="Stop comparing"
          data-testid="against"
          onClick={() => setAgainst(null)}
        >
          against {spanLabel(against)}
          {!isCompared && ", not in Chart"}
          <Icon name="close" />
        </button>
      )}
      {answer.stepProblem ? (
        <span role="alert" data-testid="step-problem">
          {`Filters not applied: ${answer.stepProblem}`}
        </span>
      ) : (
        <span class="steps-share" title={exact} data-testid="steps-share">
          {left === 0 ? (
            "nothing is left"
          ) : diff ? (
            <SidesLeft tree={answer.tree} diff={diff} />
          ) : (
            `${percent(left / whole)} of ${formatValue(whole, unit)}`
          )}
        </span>
      )}
      <span class="steps-changes">
        {!embed && (
          <button
            type="button"
            class="link"
            title="Undo (z); redo with Shift+Z"
            data-testid="undo"
            onClick={undoInTurn}
          >
            Undo
          </button>
        )}
        <button type="button" class="link" data-testid="clear-steps" onClick={clearSteps}>
          Clear
        </button>
      </span>
    </div>
  );
}

/** Views that show a tree upside down. */
const INVERTED: View[] = ["flame", "both", "tree", "sides"];

/** What a frame is, which way up, and filters that are typed. */
export function StepTools() {
  const answer = shown.value;
  if (!takesSteps.value || answer.state !== "ready") return null;
  const { invert, view } = pictureRoute.value;
  return (
    <div class="step-tools">
      <Select
        label="Group by"
        testid="group"
        value={askedGroup.value}
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
          <span class="narrow">
            <Icon name="invert" />
          </span>
          <span class="wide">Invert</span>
        </button>
      )}
      <Menu
        label={
          <>
            <Icon name="plus" />
            <span class="wide">frame filter</span>
          </>
        }
        title="Add a frame filter"
        class="control quiet"
        testid="step-add"
      >
        {(close) => <AddStep close={close} />}
      </Menu>
      {answer.subject?.labelled && (
        <Menu
          label={
            <>
              <Icon name="tag" />
              <span class="wide">labels</span>
            </>
          }
          title="Filter and group by label"
          class="control quiet"
          testid="labels"
        >
          {(close) => (
            <div class="label-picker" data-testid="label-picker">
              <LabelPicker close={close} />
            </div>
          )}
        </Menu>
      )}
    </div>
  );
}

const HELP: Record<PatternVerb | TagVerb, string> = {
  focus: "Keep stacks with a matching frame",
  ignore: "Drop stacks with a matching frame",
  hide: "Hide matching frames; their callees move up to their callers",
  show: "Show only matching frames",
  "show-from": "Start stacks at the outermost matching frame",
  "prune-from": "End stacks at the innermost matching frame",
  tagfocus: "Keep samples with a matching label: key=REGEX, or a range such as key=32kb:64kb",
  tagignore: "Drop samples with a matching label: key=REGEX, or a range such as key=32kb:64kb",
};

function AddStep({ close }: { close: () => void }) {
  const verb = useSignal<PatternVerb | TagVerb>("focus");
  const labelled = shown.value.state === "ready" && shown.value.subject?.labelled;
  const verbs = labelled ? [...PATTERN_VERBS, ...TAG_VERBS] : PATTERN_VERBS;
  const ofTags = TAG_VERBS.some((tag) => tag === verb.value);
  const step = (text: string) => `${verb.value}:${text}`;
  return (
    <div class="add-filter">
      <Select
        label="Action"
        testid="step-verb"
        value={verb.value}
        options={verbs.map((value) => ({ value, label: value.replace("-", " ") }))}
        onChange={(value) => (verb.value = value as PatternVerb | TagVerb)}
      />
      <p class="hint">{HELP[verb.value]}.</p>
      <PatternForm
        label={ofTags ? "Label pattern" : "Regular expression for a name or file"}
        placeholder={ofTags ? "region=^eu" : "^runtime\\."}
        testid="step-pattern"
        check={async (text) => (await core.stepProblem(step(text))) ?? ""}
        add={(text) => {
          close();
          addStep(step(text));
        }}
      />
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
        <button
          type="button"
          data-testid="hide-inlined"
          onClick={() => {
            close();
            addStep("inlines:hide");
          }}
        >
          Hide inlined calls
        </button>
      </div>
    </div>
  );
}
