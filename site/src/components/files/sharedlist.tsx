import { lastDay } from "../../files/share.ts";
import { formatBytes, plural } from "../../format/value.ts";
import { reportFailure } from "../../state/page/failure.ts";
import { chosen, more, remove, type Share, shares } from "../../state/shares.ts";
import { initialRoute, type Route } from "../../state/url/route.ts";
import { DeleteForEveryone } from "../controls/deleteforeveryone.tsx";
import { linkTo } from "../controls/link.ts";
import "../../style/shares.css";

/** Profiles that people have put on the server: opened, compared, taken back. Nothing where there are none. */
export function SharedList() {
  const { list, next, problem } = shares.value;
  if (list.length === 0) return problem ? <p class="hint">{problem.meaning}</p> : null;
  const ids = chosen.value.filter((id) => list.some((share) => share.id === id));
  return (
    <section class="shared" aria-label="Shared profiles" data-testid="shared">
      <h2>Shared profiles</h2>
      <p class="hint">Anyone who can read this server's data can see these profiles until they expire.</p>
      <ul>
        {list.map((share) => (
          <Item key={share.id} share={share} />
        ))}
      </ul>
      {next && (
        <button
          type="button"
          class="link"
          data-testid="more-shares"
          onClick={() => tell(more(), "list more shared profiles")}
        >
          Show more
        </button>
      )}
      {ids.length > 1 && (
        <div class="shared-actions">
          <Open ids={ids} compare testid="compare-shares">
            {ids.length === 2 ? "Compare the two" : `Compare the first with ${ids.length - 1} others`}
          </Open>
          <Open ids={ids} testid="merge-shares">
            {`Merge ${plural(ids.length, "profile")}`}
          </Open>
        </div>
      )}
    </section>
  );
}

function Item({ share }: { share: Share }) {
  const { id, name, size } = share;
  const until = lastDay(id).replace(" (UTC)", "");
  const choose = (on: boolean) => {
    const others = chosen.peek().filter((other) => other !== id);
    chosen.value = on ? [...others, id] : others;
  };
  return (
    <li data-testid="share">
      <input
        type="checkbox"
        aria-label={`Choose ${name}`}
        checked={chosen.value.includes(id)}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <Open ids={[id]} testid="open-share">
        {name}
      </Open>
      <DeleteForEveryone name={name} testid="delete-share" remove={() => remove(share)}>
        <span class="soft" title={`${formatBytes(size)}, valid until the end of ${lastDay(id)}`}>
          until {until}
        </span>
      </DeleteForEveryone>
    </li>
  );
}

/** A link to shares, in the order in which they were chosen: the first is the baseline of a comparison. */
function Open(props: { ids: string[]; compare?: boolean; testid: string; children: string }) {
  const { ids, compare = false, testid, children } = props;
  const target: Route = { ...initialRoute("file"), shares: ids, compare };
  return (
    <a
      class={ids.length > 1 ? "control" : "shared-name"}
      {...linkTo(target)}
      title={ids.length > 1 ? undefined : children}
      data-testid={testid}
    >
      {children}
    </a>
  );
}

function tell(done: Promise<void>, doing: string): void {
  done.catch((failure) => reportFailure(failure, doing));
}
