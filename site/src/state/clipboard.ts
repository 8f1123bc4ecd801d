import { tell } from "./ui.ts";

/** Copies, and says so; `what` completes "Copied …". */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(`Copied ${what}`);
  } catch {
    // No permission, or a page without https: offer the text where it can be copied by hand.
    prompt("Copy this:", text);
  }
}

/** Hands bytes to the browser as a download; they come from this page's memory. */
export function download(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
