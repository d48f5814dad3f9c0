// A line for something that is due, or that a clock move did.
import type { Schemas } from "../api.ts";
import { RecordTitle, StoryLink } from "../parts/links.tsx";
import { toHref } from "../router.ts";

/** Labels of kinds. An unknown kind is shown by its name. */
const WORDS: Readonly<Record<string, string>> = {
  eventCompleted: "event ends",
  giftCardExpired: "gift card expires",
  documentAttached: "document is attached",
  checkoutLapsed: "checkout lapses",
  delivery: "webhook is sent",
  deliveryAttempted: "webhook is sent",
};

interface DueProps extends Partial<Omit<Schemas["Due"], "what">> {
  at: string;
  what: string;
  id: string;
  says?: string;
}

/** Events are shown in the local time of their place, everything else in UTC. */
export function DueLine({ at, what, id, title, local_time: local, timezone, says }: DueProps) {
  return (
    <li class="due-line">
      <time class="quiet" dateTime={at} title={timezone ? `${timezone}; ${at}` : at}>
        {(local ?? at).slice(0, 16).replace("T", " ")}
        {!local && " UTC"}
      </time>
      <span>{WORDS[what] ?? what}</span>
      {title ? (
        <a href={toHref("story", [id])}>
          <RecordTitle id={id} title={title} timezone={timezone} />
        </a>
      ) : (
        <StoryLink id={id} />
      )}
      {says && <span class="quiet small">{says}</span>}
    </li>
  );
}
