// The story screen: the request, the checks, the effects, the webhooks, and the next requests of the client.
import { read, type Schemas } from "../api.ts";
import type { Entry } from "../entries.ts";
import { Phrases } from "../parts/links.tsx";
import { Badge, Empty, Instant, Problem, Prose, Side, Title } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, type ScreenProps, toHref, worldId } from "../router.ts";
import { isLoadingLog, stories, worldVersion } from "../store.ts";
import { Actions } from "../story/actions.tsx";
import { Consequences } from "../story/consequences.tsx";
import { RejectionPanel } from "../story/rejection-panel.tsx";
import { formatTarget } from "../story/sent-request.ts";
import { formatDetail } from "../timeline/format-detail.ts";

interface FoundStory {
  why: Schemas["Why"] | undefined;
  entry: Entry | undefined;
  operations: Schemas["OperationList"]["items"];
}

/**
 * Loads the log entry, which requests, acts and clock moves have, and the explanation, which anything with an id has.
 */
async function loadStory(id: string): Promise<FoundStory> {
  // Either may be missing, because the log drops entries before records.
  const [why, entry, operations] = await Promise.allSettled([
    read("/_sandbox/why/{id}", { path: { id } }),
    read("/_sandbox/log/{id}", { path: { id } }),
    read("/_sandbox/operations"),
  ]);
  if (why.status === "rejected" && entry.status === "rejected") throw why.reason;
  return {
    why: why.status === "fulfilled" ? why.value : undefined,
    entry: entry.status === "fulfilled" ? entry.value : undefined,
    operations: operations.status === "fulfilled" ? operations.value.items : [],
  };
}

/** The screen without an id shows the latest rejected story, or the latest story if none was rejected. */
export function Story({ rest: [named] }: ScreenProps) {
  const last = stories.value.findLast(({ head }) => "code" in head && head.code) ?? stories.value.at(-1);
  const id = named ?? last?.head.id;
  if (id) return <StoryDetail key={`${worldId.value} ${id}`} id={id} />;
  if (isLoadingLog.value) return <Empty title="Reading the log …" />;
  return (
    <Empty title="No stories yet.">
      <p>
        The <a href={toHref("timeline")}>timeline</a> lists them as they happen.
      </p>
    </Empty>
  );
}

function StoryDetail({ id }: { id: string }) {
  const { data, problem, loading } = useQuery([id, worldVersion.value], () => loadStory(id));
  if (problem)
    return (
      <Empty title={`No entry found for ${id}.`}>
        <Problem text={problem} />
        <p>
          <a href={toHref("timeline")}>To the timeline</a>
        </p>
      </Empty>
    );
  if (!data) return loading ? <p class="quiet">Reading {id} …</p> : null;
  const { why, entry, operations } = data;
  return (
    <article class="stack told">
      <Head why={why} entry={entry} id={id} />
      {entry && "faults" in entry && <FaultsHit hits={entry.faults} />}
      {entry && <Actions entry={entry} operations={operations} />}
      {why?.refusal && <RejectionPanel refusal={why.refusal} world={why.world} entry={entry} />}
      {!why && entry && <LoggedRejection entry={entry} />}
      {why && <Consequences why={why} />}
      {entry && <Exchange entry={entry} />}
    </article>
  );
}

/** The title, times, cause and outcome. The log entry provides the times if there is no explanation. */
function Head({ why, entry, id }: { why: FoundStory["why"]; entry: Entry | undefined; id: string }) {
  const { at = "", wall_at = null } = why ?? entry ?? {};
  const [verdict, world] = [getQuery("verdict"), getQuery("of")];
  return (
    <header class="told-head">
      {/* The evidence of a verdict has led here. */}
      {verdict && (
        <p class="small">
          <a href={toHref("verdict", [verdict], { world: world || undefined })}>Back to the verdict</a>
        </p>
      )}
      <h2>
        <Title text={why?.title ?? (entry && formatEntryTitle(entry)) ?? id} />
      </h2>
      <p class="quiet small">
        <span class="id">{id}</span>
        {wall_at && ` · ${wall_at.slice(0, 23).replace("T", " ")} real time`}
        {at && " · world "}
        {at && <Instant at={at} seconds />} {why?.clock && <Badge>{why.clock}</Badge>}
        {why?.cause && " · caused by "}
        {why?.cause && <a href={toHref("story", [why.cause.id])}>{why.cause.title}</a>}
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

/** Formats a title for entries without an explanation. */
function formatEntryTitle(entry: Entry): string {
  if (entry.kind === "request")
    return `${entry.method} ${entry.operation ?? entry.path} ${entry.status ?? "no answer"}`;
  if (entry.kind === "act") return `${entry.act} ${entry.status}`;
  if (entry.kind === "clock") return `The clock was moved to ${entry.to}`;
  return entry.kind === "delivery" ? `${entry.webhook_kind} to ${entry.url}` : `World: ${entry.change}`;
}

function FaultsHit({ hits }: { hits: readonly Schemas["FaultHit"][] }) {
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

/** The rejection as the log has it, for entries without an explanation. */
function LoggedRejection({ entry }: { entry: Entry }) {
  if (!("code" in entry) || !entry.message) return null;
  return (
    <section class="panel">
      <h2>{entry.code}</h2>
      <p>
        <Prose text={entry.message} />
      </p>
      {"violations" in entry &&
        entry.violations?.map(({ location, message }) => (
          <p key={`${location} ${message}`}>
            <code>{location.join(".")}</code> {message}
          </p>
        ))}
    </section>
  );
}

/** The logged request and response. The log redacts secrets. */
function Exchange({ entry }: { entry: Entry }) {
  if (entry.kind === "act")
    return (
      <div class="two">
        <Side title="Input" value={entry.input ?? {}} />
        <Side title="Result" value={entry.result ?? null} />
      </div>
    );
  if (entry.kind !== "request") return <Side title="As the log has it" value={entry} />;
  const { method, status, request, answer } = entry;
  return (
    <div class="two">
      <Side
        title="Request"
        line={`${method} ${formatTarget(entry)}`}
        headers={request?.headers}
        value={request?.body}
      />
      <Side title={`Answer ${status ?? "lost"}`} headers={answer?.headers} value={answer?.body} />
    </div>
  );
}
