import { useEffect, useRef } from "preact/hooks";
import { address, standalone } from "../../base.ts";
import { KEYS } from "../../keys.ts";
import { helpOpen } from "../../state/page/helpopen.ts";
import { withBundle } from "../../state/query/place.ts";
import { Icon } from "../controls/icon.tsx";

const SHOWN: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  " ": "Space",
};

/** All keys, and what the mouse does. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (helpOpen.value) dialog.current?.showModal();
  }, [helpOpen.value]);
  if (!helpOpen.value) return null;
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-labelledby="help-title"
      data-testid="help"
      onClose={() => (helpOpen.value = false)}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      onKeyDown={(event) => {
        if (event.key !== "?") return;
        event.preventDefault();
        dialog.current?.close();
      }}
    >
      <div class="help-head">
        <h2 id="help-title">Keys</h2>
        {!standalone && !withBundle && (
          <a href={address("docs/")} target="_blank" rel="noreferrer">
            Documentation
          </a>
        )}
        <button type="button" class="control icon-only" title="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="help-groups">
        {KEYS.map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {bindings.map(({ keys, help }) => (
                <div key={help}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{SHOWN[key] ?? key}</kbd>
                    ))}
                  </dt>
                  <dd>{help}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>Mouse and touch</h3>
          <dl>
            <div>
              <dt>click</dt>
              <dd>select a frame</dd>
            </div>
            <div>
              <dt>double-click</dt>
              <dd>zoom to a frame</dd>
            </div>
            <div>
              <dt>wheel</dt>
              <dd>scroll; with Shift sideways</dd>
            </div>
            <div>
              <dt>Ctrl + wheel, pinch</dt>
              <dd>zoom at the pointer</dd>
            </div>
            <div>
              <dt>drag</dt>
              <dd>pan</dd>
            </div>
            <div>
              <dt>drag on the timeline</dt>
              <dd>
                select part of the time range; double-click clears it, or in a comparison fits the timelines to both
                sides
              </dd>
            </div>
            <div>
              <dt>drag on a file's heatmap</dt>
              <dd>select part of the recording; with Shift, a second part to compare</dd>
            </div>
          </dl>
        </section>
      </div>
    </dialog>
  );
}
