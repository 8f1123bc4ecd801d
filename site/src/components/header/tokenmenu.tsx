import { forgetToken, token } from "../../state/page/token.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";

/** The way to forget a token, where there is one. */
export function TokenMenu() {
  if (token.value === "") return null;
  return (
    <Menu label={<Icon name="key" />} title="Token" class="control icon-only" testid="token-menu">
      {() => (
        <div class="menu-list">
          <p class="hint">You are signed in with a token.</p>
          <button type="button" data-testid="token-forget" onClick={forgetToken}>
            <Icon name="close" /> Forget token
          </button>
        </div>
      )}
    </Menu>
  );
}
