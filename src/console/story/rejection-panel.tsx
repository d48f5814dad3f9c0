// The reason for a rejection: the rule, its checks with the values they read, their basis, and the smallest change.

import { FAILS_NOW, formatOffer, getMark } from "../../client/why-lines.ts";
import { createWorldControl, forkWorld, type Schemas, unwrap } from "../api.ts";
import type { Entry } from "../entries.ts";
import { ActionButton } from "../parts/actions.tsx";
import { Badge, Prose, Status } from "../parts/primitives.tsx";
import { navigate, toHref } from "../router.ts";
import { toSentenceCase } from "../to-sentence-case.ts";

type Rejection = Schemas["WhyRefusal"];

interface RejectionPanelProps {
  refusal: Rejection;
  world: string;
  entry: Entry | undefined;
}

/** The rejection with its checks and the smallest change, which can be sent now or in a fork. */
export function RejectionPanel({ refusal, world, entry }: RejectionPanelProps) {
  const { status, code, message, rule, checks, rests_on, smallest, note } = refusal;
  return (
    <section class="panel refusal">
      <h2>
        <Status status={status} /> {code}
      </h2>
      <p>
        <Prose text={message} />
      </p>
      {/* A transport error, such as an unknown path, may have no checks. */}
      {checks.length > 0 && (
        <>
          <h3>Rule {rule}: checks</h3>
          <ol class="checks">
            {checks.map((check) => (
              <CheckLine key={check.name} check={check} />
            ))}
          </ol>
        </>
      )}
      {smallest && (
        <p class="smallest">
          <strong>{toSentenceCase(formatOffer(smallest))}:</strong> <Prose text={smallest.text} />{" "}
          {/* A change that works now is sent in this world. A change that only worked earlier needs a fork. */}
          {smallest.works_now && entry && (
            <ActionButton run={() => applyChange(entry.id, world)}>Apply and resend</ActionButton>
          )}
          {smallest.moment && !smallest.works_now && FAILS_NOW}{" "}
          {smallest.moment && !smallest.works_now && entry && (
            <ActionButton run={() => applyInFork(entry.id, world, smallest.moment)}>Apply in fork</ActionButton>
          )}
        </p>
      )}
      {note && (
        <p class="quiet">
          <Prose text={note} />
        </p>
      )}
      <h3>Rests on</h3>
      <ul class="plain-list">
        {rests_on.map((basis) => (
          <BasisLine key={basis.text} basis={basis} />
        ))}
      </ul>
    </section>
  );
}

/** Applies the smallest change, sends the request again, and shows the story of the new response. */
async function applyChange(id: string, world: string): Promise<void> {
  const params = { path: { id } };
  const applied = await unwrap(createWorldControl(world).POST("/_sandbox/why/{id}/apply", { params }));
  navigate(toHref("story", [applied.id], { world }));
}

/** Sends a request that only worked earlier in a fork of that point in time, and shows the fork. */
const applyInFork = async (id: string, world: string, moment: Schemas["WhyMoment"] | undefined) =>
  applyChange(id, await forkWorld(world, { at: String(moment?.seq) }));

/** A check: passed, failed or not reached. Screen readers read the mark as a word. */
function CheckLine({ check }: { check: Rejection["checks"][number] }) {
  const { name, passed, looked_at } = check;
  const [mark, says] = getMark(check);
  const look = passed === null ? "quiet" : passed ? "tone ok" : "tone bad";
  return (
    <li class={passed === false ? "stood" : ""}>
      <span class={look} role="img" aria-label={says}>
        {mark}
      </span>
      <code>{name}</code>
      <span class="quiet">
        <Prose text={looked_at} />
      </span>
    </li>
  );
}

/** A basis of the rejection. An assumption is a link, because it can be overridden. */
function BasisLine({ basis: { kind, text, id, value } }: { basis: Rejection["rests_on"][number] }) {
  return (
    <li>
      <Badge tone={kind === "assumption" ? "warn" : "quiet"}>{kind}</Badge>{" "}
      {kind === "assumption" && id ? <a href={toHref("assumptions", [id])}>{id}</a> : id && <code>{id}</code>}
      {value && <code> = {value}</code>} <Prose text={text} />
    </li>
  );
}
