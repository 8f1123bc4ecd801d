import type { ComponentChildren } from "preact";
import { Logo } from "../controls/logo.tsx";
import { FilePicker } from "./filepicker.tsx";

/** Where files are opened. The whole page takes a drop; this shows it and takes a click. What else may be opened stands below. */
export function DropZone({ wide = false, children }: { wide?: boolean; children?: ComponentChildren }) {
  return (
    <div class={wide ? "open-place wide-zone" : "open-place"}>
      <FilePicker class="dropzone" testid="dropzone">
        {wide && <Logo size={56} />}
        <span class="big">Open a profile</span>
        <span>
          Drop files, folders or zip archives from any profiler here, paste them, or <u>choose them</u>. Drop several to
          merge or compare them. Add the binary to resolve bare addresses.
        </span>
        <span class="soft">Everything happens in this tab. Nothing is uploaded.</span>
      </FilePicker>
      <FilePicker folder class="control" testid="open-folder">
        Open a folder
      </FilePicker>
      {children}
    </div>
  );
}
