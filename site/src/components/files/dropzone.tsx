import { Logo } from "../controls/logo.tsx";
import { FilePicker } from "./filepicker.tsx";

/** Where files are opened. The whole page takes a drop; this shows it and takes a click. */
export function DropZone({ wide = false }: { wide?: boolean }) {
  return (
    <FilePicker class={wide ? "dropzone wide-zone" : "dropzone"} testid="dropzone">
      <Logo size={wide ? 56 : 40} />
      <span class="big">Open a profile</span>
      <span>
        Drop pprof files, JFR or folded stacks anywhere, paste them, or <u>choose them</u>. Several are merged; two can
        be compared.
      </span>
      <span class="soft">They are read and drawn by this page. Nothing leaves your machine.</span>
    </FilePicker>
  );
}
