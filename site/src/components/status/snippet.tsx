import { copyText } from "../../state/page/clipboard.ts";
import { Icon } from "../controls/icon.tsx";

/** A text to copy. */
export function Snippet({ code, what = "the snippet" }: { code: string; what?: string }) {
  return (
    <div class="snippet">
      <pre data-testid="snippet">
        <code>{code}</code>
      </pre>
      <button type="button" class="control icon-only" title={`Copy ${what}`} onClick={() => void copyText(code, what)}>
        <Icon name="copy" />
      </button>
    </div>
  );
}
