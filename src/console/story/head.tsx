// The head of a story: title, times, cause and the faults that took effect.
import type { Schemas } from "../api.ts";
import type { Entry, Why } from "../entries.ts";
import { Phrases } from "../parts/phrases.tsx";
import { Badge, Instant, Title } from "../parts/primitives.tsx";
import { getQuery, toHref } from "../router.ts";
import { formatDetail } from "../timeline/format-detail.ts";

export function Head({ why, entry, id }: { why: Why | undefined; entry: Entry | undefined; id: string }) {
  // The log entry provides the times if there is no explanation.
  const { at = "", wall_at = null } = why ?? entry ?? {};
  return (
    <header class="told-head">
      <BackToVerdict />
      <h2>
        <Title text={why?.title ?? (entry && formatEntryTitle(entry)) ?? id} />
      </h2>
      <p class="quiet small">
        <span class="id">{id}</span>
        {wall_at && (
          <>
            {" "}
            · {wall_at.slice(0, 10)} {wall_at.slice(11, 23)} real time
          </>
        )}
        {at && (
          <>
            {" "}
            · world <Instant at={at} seconds /> {why?.clock && <Badge>{why.clock}</Badge>}
          </>
        )}
        {why?.cause && (
          <>
            {" "}
            · caused by <a href={toHref("story", [why.cause.id])}>{why.cause.title}</a>
          </>
        )}
      </p>
      {entry && "told" in entry && entry.told && entry.told.length > 0 && (
        <p class="what-came">
          <Phrases phrases={entry.told} linked />
        </p>
      )}
      {entry?.kind === "world" && entry.change !== "rewind" && <p class="what-came">{formatDetail(entry.detail)}</p>}
      {why?.notes?.map((note) => (
        <p key={note} class="quiet small">
          {note}
        </p>
      ))}
    </header>
  );
}

/** A link back to the verdict whose evidence led here. */
function BackToVerdict() {
  const [verdict, world] = [getQuery("verdict"), getQuery("of")];
  if (!verdict) return null;
  return (
    <p class="small">
      <a href={toHref("verdict", [verdict], { world: world || undefined })}>Back to the verdict</a>
    </p>
  );
}

export function FaultsHit({ hits }: { hits: readonly Schemas["FaultHit"][] }) {
  if (hits.length === 0) return null;
  return (
    <section class="panel">
      <h2>Faults that took effect</h2>
      <ul class="plain-list">
        {hits.map(({ name, did }, index) => (
          <li key={index}>
            <Badge tone="warn">{name}</Badge> {did}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Formats a title for entries without an explanation. */
function formatEntryTitle(entry: Entry): string {
  if (entry.kind === "request")
    return `${entry.method} ${entry.operation ?? entry.path} ${entry.status ?? "no answer"}`;
  if (entry.kind === "act") return `${entry.act} ${entry.status}`;
  if (entry.kind === "clock") return `The clock was moved to ${entry.to}`;
  return entry.kind === "delivery" ? `${entry.webhook_kind} to ${entry.url}` : `World: ${entry.change}`;
}
