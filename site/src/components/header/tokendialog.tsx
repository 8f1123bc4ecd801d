import { useEffect, useRef } from "preact/hooks";
import { asked, dismiss, giveToken } from "../../state/page/token.ts";
import { Icon } from "../controls/icon.tsx";

/** Asks for the token that the server wants. Files can be opened without one, so it can be closed. */
export function TokenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const give = (event: Event) => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? "";
    if (text !== "") giveToken(text);
  };
  return (
    <dialog
      class="help token-dialog"
      ref={dialog}
      aria-labelledby="token-title"
      data-testid="token-dialog"
      onClose={dismiss}
    >
      <form onSubmit={give}>
        <div class="help-head">
          <h2 id="token-title">Sign in with a token</h2>
          <button type="button" class="control icon-only" title="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        {asked.value === "wrong" && (
          <p role="alert" data-testid="token-problem">
            The server does not accept this token: it is unknown, expired or revoked.
          </p>
        )}
        <label>
          Token
          <input
            ref={input}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            placeholder="plt_…"
            data-testid="token-input"
            autofocus
          />
        </label>
        <p class="hint">
          If you have none, ask an administrator of this server for one with the <code>read</code> scope. The token
          stays in this browser and is sent to this server only.
        </p>
        <button type="submit" class="control primary" data-testid="token-give">
          Continue
        </button>
      </form>
    </dialog>
  );
}
