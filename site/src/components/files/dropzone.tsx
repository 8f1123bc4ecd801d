import type { ComponentChildren } from "preact";
import { Logo } from "../controls/logo.tsx";
import { FilePicker } from "./filepicker.tsx";

/** Where files are opened. The whole page takes a drop; this shows it and takes a click. What else may be opened stands below. */
export function DropZone({ wide = false, children }: { wide?: boolean; children?: ComponentChildren }) {
  return (
    <div class={wide ? "open-place wide-zone" : "open-place"}>
      <FilePicker class="dropzone" testid="dropzone">
        <Logo size={wide ? 56 : 40} />
        <span class="big">Open a profile</span>
        <span>
          Drop profiles of any common profiler anywhere, as files, folders or zip archives, paste them, or{" "}
          <u>choose them</u>. Several are merged, and can be compared. A program beside a profile names its addresses.
        </span>
        <span class="soft">They are read and drawn by this page. Nothing leaves your machine.</span>
      </FilePicker>
      <FilePicker folder class="control" testid="open-folder">
        Open a folder
      </FilePicker>
      {children}
    </div>
  );
}
