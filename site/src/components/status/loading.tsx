import { capital } from "../../format/capital.ts";
import { formatBytes } from "../../format/value.ts";
import { opening } from "../../state/profile/files.ts";
import { shown, work } from "../../state/profile/shown.ts";

/** Stage and bytes of what is under way: over an old picture as a thin line, else in the middle. */
export function Loading() {
  const file = opening.value;
  const stage = file ? `${file.stage} ${file.name}` : work.value?.stage;
  if (!stage) return null;
  const bytes = file?.bytes ?? work.value?.bytes ?? 0;
  const cancel = file?.cancel ?? work.value?.cancel;
  const of = file && file.size > bytes ? ` of ${formatBytes(file.size)}` : "";
  const over = shown.value.state === "ready";
  return (
    <div class={over ? "loading over" : "loading"} role="status" data-testid="loading">
      <div class="loading-bar" />
      <p>
        <span class="loading-text">
          {capital(stage)}
          {bytes > 0 && <span class="soft"> · {formatBytes(bytes) + of}</span>}
        </span>
        <button type="button" class="link" data-testid="cancel" onClick={cancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}
