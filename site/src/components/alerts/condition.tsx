import type { ComponentChildren } from "preact";
import { isGauge } from "../../format/type.ts";
import { formatStep } from "../../format/value.ts";
import { type AlertKind, isLevel, isWhole, MINUTE, NEW_FUNCTION_EVERY } from "../../state/query/alert.ts";
import type { AlertDraft, Drafted } from "../../state/query/alertdraft.ts";
import { isVersion, natural } from "../../state/query/labels.ts";
import { queryParts, type RecordingRule } from "../../state/query/recordingrule.ts";
import { useQueryLabels } from "../../state/query/recordingrules.ts";

const WINDOWS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360];
/** The server compares no shorter ones. */
const COMPARED_WINDOWS = WINDOWS.filter((minutes) => minutes >= 10);
const LASTING = [1, 2, 3, 5, 10, 15, 30, 60];

const THRESHOLD_LABELS: Partial<Record<AlertKind, string>> = {
  above: "More than",
  below: "Less than",
  grew: "Grows by more than",
  new_function: "At least",
};
const WINDOW_LABELS: Record<AlertKind, string> = {
  above: "Average of",
  below: "Average of",
  grew: "Within",
  new_function: "Over",
  silent: "None for",
};

interface Props {
  draft: AlertDraft;
  made: Drafted;
  rule: RecordingRule;
  onChange: (patch: Partial<AlertDraft>) => void;
}

/** The numbers of an alert's condition, which depend on its kind. */
export function Condition({ draft, made, rule, onChange }: Props) {
  const { kind, minutes, forMinutes } = draft;
  const { text, units, typedUnit } = made;
  const threshold = THRESHOLD_LABELS[kind];
  return (
    <div class="alert-condition">
      {threshold && (
        <div class="alert-field">
          <label for="alert-threshold">{threshold}</label>
          <span>
            <input
              id="alert-threshold"
              type="number"
              required
              autofocus
              min="0"
              step="any"
              value={text}
              data-testid="alert-threshold"
              onInput={(event) => onChange({ typed: event.currentTarget.value, typedUnit: typedUnit.label })}
            />
            {units.length > 1 ? (
              <select
                class="control"
                aria-label="Unit"
                data-testid="alert-unit"
                value={typedUnit.label}
                onChange={(event) => onChange({ typedUnit: event.currentTarget.value })}
              >
                {units.map(({ label }) => (
                  <option key={label}>{label}</option>
                ))}
              </select>
            ) : (
              <span data-testid="alert-unit">{typedUnit.label}</span>
            )}
          </span>
        </div>
      )}
      <Minutes
        // Both versions are looked for in two windows.
        label={draft.versionLabel ? "In the last" : WINDOW_LABELS[kind]}
        windows={draft.versionLabel ? 2 : 1}
        choices={kind === "grew" || kind === "new_function" ? COMPARED_WINDOWS : WINDOWS}
        value={minutes}
        testid="alert-minutes"
        onChange={(minutes) => onChange({ minutes })}
      />
      {isLevel(kind) && (
        <Minutes
          label="For at least"
          choices={LASTING}
          value={forMinutes}
          testid="alert-for"
          onChange={(forMinutes) => onChange({ forMinutes })}
        />
      )}
      {kind === "grew" && (
        <Compared rule={rule} value={draft.versionLabel} onChange={(versionLabel) => onChange({ versionLabel })} />
      )}
      {kind === "below" && !isGauge(queryParts(rule.query).type) && (
        <p class="hint">
          Minutes without profiles count as 0, so the alert also fires for a few minutes after profiles stop.
        </p>
      )}
      {kind === "grew" && !draft.versionLabel && (
        <p class="hint">
          Fires once most of the period has the new level: a shorter period fires sooner, a longer one is steadier. It
          ends when about a tenth of the earlier period has the new level, even if that level stays.
        </p>
      )}
      {kind === "grew" && draft.versionLabel && (
        <p class="hint">
          Fires while the period has about {formatStep(leastOfVersion(minutes) * MINUTE)} of each version: it starts so
          long after a new version began, and ends as the one before leaves the period, even if the new level stays.
        </p>
      )}
      {kind === "grew" && !isWhole(rule) && (
        <p class="hint">It also ends when the shares differ by no more than they vary by chance.</p>
      )}
      {kind === "new_function" && (
        <p class="hint">
          New means not seen in the 24 h that ended {formatStep((minutes + NEW_FUNCTION_EVERY) * MINUTE)} ago. The
          service needs profiles from that time; otherwise every function is new.
        </p>
      )}
    </div>
  );
}

/** For how many minutes a version needs profiles: the server wants them in eight parts, which begin and end at whole ones. */
function leastOfVersion(minutes: number): number {
  return 7 * Math.max(1, Math.floor(minutes / 10)) + 1;
}

function Minutes(props: {
  label: string;
  choices: number[];
  value: number;
  /** How many windows of so many minutes are meant. */
  windows?: number;
  testid: string;
  onChange: (minutes: number) => void;
}) {
  const { label, choices, value, windows = 1, testid, onChange } = props;
  const all = choices.includes(value) ? choices : [...choices, value].sort((a, b) => a - b);
  return (
    <Choice label={label} value={String(value)} testid={testid} onChange={(text) => onChange(Number(text))}>
      {all.map((minutes) => (
        <option key={minutes} value={String(minutes)}>
          {formatStep(windows * minutes * MINUTE)}
        </option>
      ))}
    </Choice>
  );
}

/** With the time before, or with the version before of a label that tells versions apart. */
function Compared({
  rule,
  value,
  onChange,
}: {
  rule: RecordingRule;
  value: string;
  onChange: (label: string) => void;
}) {
  const found = Object.keys(useQueryLabels(rule.query)).filter(isVersion).sort(natural);
  const names = found.includes(value) || value === "" ? found : [value, ...found];
  return (
    <Choice label="Compared with" value={value} testid="alert-version" onChange={onChange}>
      <option value="">the time before</option>
      {names.map((name) => (
        <option key={name} value={name}>
          the {name} before
        </option>
      ))}
    </Choice>
  );
}

function Choice(props: {
  label: string;
  value: string;
  testid: string;
  onChange: (value: string) => void;
  children: ComponentChildren;
}) {
  const { label, value, testid, onChange, children } = props;
  return (
    <label class="alert-field">
      {label}
      <select
        class="control"
        data-testid={testid}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {children}
      </select>
    </label>
  );
}
