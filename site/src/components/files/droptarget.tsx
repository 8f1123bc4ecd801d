import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { droppedEntries } from "../../files/folder.ts";
import { isTyping } from "../../keys.ts";
import { notify } from "../../state/page/notice.ts";
import { takeFiles, takePrograms } from "../../state/profile/instead.ts";
import { openEntries, openFiles, openText } from "../../state/profile/opening.ts";
import { Logo } from "../controls/logo.tsx";

const dragging = signal(false);

/** The whole page takes files: dropped anywhere, or pasted. */
export function DropTarget() {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    // Enter and leave fire for every element under the pointer; only their balance says whether it left the page.
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const setDepth = (next: number) => {
      depth = Math.max(0, next);
      dragging.value = depth > 0;
    };
    addEventListener("dragenter", (event) => hasFiles(event) && setDepth(depth + 1), { signal });
    addEventListener("dragleave", (event) => hasFiles(event) && setDepth(depth - 1), { signal });
    addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault(), { signal });
    addEventListener(
      "drop",
      (event) => {
        if (!event.dataTransfer || !hasFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        const entries = droppedEntries(event.dataTransfer);
        if (entries.some(({ isDirectory }) => isDirectory)) return void openEntries(entries);
        const dropped = [...event.dataTransfer.files];
        void openFiles(takeFiles.peek()?.(dropped) ?? dropped);
      },
      { signal },
    );
    addEventListener("paste", (event) => paste(event.clipboardData, event), { signal });
    return () => stop.abort();
  }, []);
  if (!dragging.value) return null;
  return (
    <div class="drop-overlay" data-testid="drop-overlay">
      <div>
        <Logo size={56} />
        <p class="big">Drop to open</p>
        <p>Drop several to merge or compare them. Folders and zip archives work, too.</p>
        {takePrograms.value ? (
          <p>
            Symbols from a dropped binary or debug file are stored on this server and resolve addresses for everyone.
          </p>
        ) : (
          <p>Drop a binary with debug symbols on a service to symbolize its profiles.</p>
        )}
      </div>
    </div>
  );
}

/** Files, or a profile that is text. In a field, text belongs to the field. */
function paste(data: DataTransfer | null, event: ClipboardEvent): void {
  if (!data) return;
  if (data.files.length > 0) return void openFiles(data.files);
  if (event.target instanceof HTMLElement && isTyping(event.target)) return;
  const text = data.getData("text/plain");
  if (text.trim() !== "") void openText(text);
  else notify("The clipboard contains no file or text.");
}
