import { useEffect, useRef } from "preact/hooks";
import { asked, forgetToken, giveToken, token } from "../../state/page/token.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";

/** Asks for the token that the server wants. Files can be opened without one, so it can be closed. */
export function TokenDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const open = asked.value !== "no";
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  if (!open) return null;
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
      onClose={() => (asked.value = "no")}
    >
      <form onSubmit={give}>
        <div class="help-head">
          <h2 id="token-title">This server asks for a token</h2>
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
          If you have none, ask an administrator of this server for one with the scope <code>read</code>. It stays in
          this browser and is sent to this server only.
        </p>
        <button type="submit" class="control primary" data-testid="token-give">
          Continue
        </button>
      </form>
    </dialog>
  );
}

/** The way to forget a token, where there is one. */
export function TokenMenu() {
  if (token.value === "") return null;
  return (
    <Menu label={<Icon name="key" />} title="Token" class="control icon-only" testid="token-menu">
      {() => (
        <div class="menu-list">
          <p class="hint">This browser shows the server a token.</p>
          <button type="button" data-testid="token-forget" onClick={forgetToken}>
            <Icon name="close" /> Forget token
          </button>
        </div>
      )}
    </Menu>
  );
}
