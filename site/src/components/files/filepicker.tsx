import type { ComponentChildren } from "preact";
import { openFiles, openFolder } from "../../state/profile/opening.ts";
import { Icon } from "../controls/icon.tsx";

interface Props {
  children: ComponentChildren;
  class: string;
  testid: string;
  /** Whether folders are chosen. */
  folder?: boolean;
}

/** A file chooser dressed as whatever it wraps. */
export function FilePicker({ children, folder = false, ...props }: Props) {
  return (
    <label class={props.class}>
      <input
        type="file"
        multiple
        ref={(input) => {
          if (input) input.webkitdirectory = folder;
        }}
        class="hidden"
        data-testid={props.testid}
        aria-label={folder ? "Open all profiles in a folder" : "Open profiles from your disk"}
        onChange={(event) => {
          const input = event.currentTarget;
          // Copied first: clearing the input, so that the same file can be chosen again, empties its list.
          const chosen = [...(input.files ?? [])];
          input.value = "";
          void (folder ? openFolder : openFiles)(chosen);
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
