// The story screen: the request, the checks, the effects, the webhooks, and the next requests of the client.
import { control, type Schemas, unwrap } from "../api.ts";
import type { Entry, Why } from "../entries.ts";
import { Empty, Problem, Prose } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { toHref, worldId } from "../router.ts";
import type { ScreenProps } from "../screen.ts";
import { loading, logVersion, stories } from "../stores/log.ts";
import { worldVersion } from "../stores/world-version.ts";
import { Actions } from "../story/actions.tsx";
import { Consequences } from "../story/consequences.tsx";
import { FaultsHit, Head } from "../story/head.tsx";
import { RejectionPanel } from "../story/rejection-panel.tsx";
import { WireView } from "../story/wire-view.tsx";
import "../story/story.css";

interface FoundStory {
  why: Why | undefined;
  entry: Entry | undefined;
  operations: Schemas["OperationList"]["items"];
}

/**
 * Loads the log entry, which requests, acts and clock moves have, and the explanation, which anything with an id has.
 */
async function loadStory(id: string): Promise<FoundStory> {
  // Either may be missing, because the log drops entries before records.
  const [why, entry, operations] = await Promise.allSettled([
    unwrap(control.peek().GET("/_sandbox/why/{id}", { params: { path: { id } } })),
    unwrap(control.peek().GET("/_sandbox/log/{id}", { params: { path: { id } } })),
    unwrap(control.peek().GET("/_sandbox/operations")),
  ]);
  if (why.status === "rejected" && entry.status === "rejected") throw why.reason;
  return {
    why: why.status === "fulfilled" ? why.value : undefined,
    entry: entry.status === "fulfilled" ? entry.value : undefined,
    operations: operations.status === "fulfilled" ? operations.value.items : [],
  };
}

export function Story({ rest: [id] }: ScreenProps) {
  if (id) return <StoryDetail key={`${worldId.value} ${id}`} id={id} />;
  return <LatestStory />;
}

/** The screen without an id shows the story that is most likely of interest. */
function LatestStory() {
  logVersion.value;
  // The latest rejected story is shown, or the latest story if none was rejected.
  const last = stories.all.findLast(({ head }) => "code" in head && head.code) ?? stories.all.at(-1);
  if (last) return <StoryDetail key={last.head.id} id={last.head.id} />;
  if (loading.value) return <Empty title="Reading the log …" />;
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
    <article class="told">
      <Head why={why} entry={entry} id={id} />
      {entry && "faults" in entry && <FaultsHit hits={entry.faults} />}
      {entry && <Actions entry={entry} operations={operations} />}
      {why?.refusal && <RejectionPanel refusal={why.refusal} world={why.world} entry={entry} />}
      {!why && entry && <LoggedRejection entry={entry} />}
      {why && <Consequences why={why} />}
      {entry && <WireView entry={entry} />}
    </article>
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
