import type { ComponentChildren } from "preact";
import { openFiles } from "../../state/profile/files.ts";
import { Icon } from "../controls/icon.tsx";

/** A file chooser dressed as whatever it wraps. */
export function FilePicker({ children, ...props }: { children: ComponentChildren; class: string; testid: string }) {
  return (
    <label class={props.class}>
      <input
        type="file"
        multiple
        class="hidden"
        data-testid={props.testid}
        aria-label="Open profiles from your disk"
        onChange={(event) => {
          const input = event.currentTarget;
          // Copied first: clearing the input, so that the same file can be chosen again, empties its list.
          const chosen = [...(input.files ?? [])];
          input.value = "";
          void openFiles(chosen);
        }}
      />
      {children}
    </label>
  );
}

export function OpenButton() {
  return (
    <FilePicker class="control" testid="open-file">
      <Icon name="file" />
      <span class="wide">Open file</span>
    </FilePicker>
  );
}
