import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A dialog that is open for as long as it is there. Its parts may close it, too. */
export function Dialog(props: {
  title: string;
  class: string;
  testid: string;
  onClose: () => void;
  children: (close: () => void) => ComponentChildren;
}) {
  const { title, testid, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const id = `${testid}-title`;
  return (
    <dialog class={`help ${props.class}`} ref={dialog} aria-labelledby={id} data-testid={testid} onClose={onClose}>
      <div class="help-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="control icon-only" title="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {children(close)}
    </dialog>
  );
}
