/** Whether the window has little room above a picture: that of a phone, or a low one, as in small.css. */
import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 640px), (max-height: 520px) and (pointer: fine)");

export const smallWindow = signal(query.matches);
query.addEventListener("change", () => (smallWindow.value = query.matches));
