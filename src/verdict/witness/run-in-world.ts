// A run as a sandbox has it in a world of its own: what was called and sent is in the log there, and only how the program ended and what its
// probe printed is the client's word. A world whose past is not whole witnesses nothing.
import { type Control, dataOf, type Schemas, type Server } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { entriesAfter, withoutByHand } from "../../client/log-after.ts";
import type { Connection } from "../connection.ts";
import { type About, type Service, serviceIn } from "../description.ts";
import type { Entry, Message, Observed } from "../observed.ts";
import { type Seen, seenIn } from "../seen-in.ts";

/** Nothing is signed, and why; one sentence and what to do. */
export class NotWitnessed extends Error {}

export type CertificateInput = Schemas["CertificateInput"];
export type ClaimedRun = Schemas["CertificateRun"];

/** What a world was made with; all worlds of a certificate have the same. */
export interface Made {
  fixture: { name: string; hash: string };
  seed: string;
  flips: readonly string[];
}

/** Throws for a world that was made otherwise than those before it. */
export interface Alike {
  (world: string, made: Made, messages: readonly Message[]): void;
  made(): Made | undefined;
  /** In one of them a message was handed on by a relay, which reported the answer. */
  isRelayed(): boolean;
}

export interface WholeWorld {
  control: Control;
  entries: readonly Entry[];
  made: Made;
  version: string;
}

/** One that changes the past of a world, or what holds in it. */
const MEDDLING: ReadonlySet<string> = new Set(["reset", "import", "restore", "populate", "rewind", "assume"]);
/** Small, so that no turn of this node is long. */
const PAGE = 25;
/** More of one run is no test of a program, and would take the memory of others. */
const MOST_ENTRIES = 10_000;
const AGAIN = "Run `sandbox certify` again, and leave its worlds alone meanwhile.";

/** Throws where the world is not as the run has left it, from its beginning. */
export async function wholeWorld(server: Server, world: string): Promise<WholeWorld> {
  const control = createControl(server, world);
  const { entries, dropped } = await logOf(control, world);
  // A world that was made otherwise than by `created` may bring any past with it.
  const { kept } = await dataOf(control.GET("/_sandbox/history", { params: { query: { limit: 1 } } }));
  if (kept.began.why !== "created")
    throw new NotWitnessed(
      `The log of world ${world} does not begin with it (${kept.began.why} at ${kept.began.wall_at}). ${AGAIN}`,
    );
  if (dropped > 0)
    throw new NotWitnessed(
      `The log of world ${world} had to drop ${dropped} entries. Let the operator start the nodes with a higher --log-entries and --log-bytes.`,
    );
  // The world's own log has every such change.
  const meddled = entries.find((entry) => entry.kind === "world" && MEDDLING.has(entry.change));
  if (meddled?.kind === "world")
    throw new NotWitnessed(`World ${world} was changed from outside (${meddled.change}). ${AGAIN}`);
  const { fixture, fixture_fingerprint, seed, flips, version } = await dataOf(control.GET("/_sandbox"));
  const made = { fixture: { name: fixture, hash: fixture_fingerprint }, seed: String(seed), flips };
  return { control, entries, made, version };
}

async function logOf(control: Control, world: string): Promise<{ entries: readonly Entry[]; dropped: number }> {
  const { items, dropped } = await entriesAfter(control, 0, { page: PAGE });
  if (items.length > MOST_ENTRIES)
    throw new NotWitnessed(
      `World ${world} has ${items.length} entries in its log, and ${MOST_ENTRIES} are read at most. Let the program do less.`,
    );
  return { entries: withoutByHand(items), dropped: dropped.count };
}

export interface WitnessedRun {
  claimed: ClaimedRun;
  made: Made;
  seen: Seen;
  armed: readonly Schemas["Fault"][];
}

/** Throws NotWitnessed where the world's past is not whole. */
export async function readRun(server: Server, claimed: ClaimedRun): Promise<WitnessedRun> {
  const { control, entries, made } = await wholeWorld(server, claimed.world);
  const { faults } = await dataOf(control.GET("/_sandbox/faults"));
  return {
    claimed,
    made,
    seen: await seenIn({ control, controlIn: () => control, world: claimed.world }, entries),
    armed: faults,
  };
}

/** With what the client says of it. */
export function observedOf(
  { claimed, seen, armed }: WitnessedRun,
  around: { service: Service; connection: Connection },
): Observed {
  const { world, ended, probe, probe_failed, took_ms } = claimed;
  const { code, stopped, output } = ended;
  return {
    ...{ ...seen, ...around, world, armed, took_ms },
    probe: probe ?? undefined,
    ...(probe_failed === null ? {} : { probeFailed: probe_failed }),
    ended: { code: code ?? undefined, output, ...(stopped === null ? {} : { stopped }) },
  };
}

/** The service as the worlds of the runs have it. */
export async function aroundRuns(
  server: Server,
  world: string,
): Promise<{ service: Service; about: About; connection: Connection }> {
  const connection = await connectionIn(server, world);
  return { ...(await serviceIn({ control: createControl(server, world), connection })), connection };
}

async function connectionIn(server: Server, world: string): Promise<Connection> {
  const params = { path: { worldId: world } };
  const { items, webhook_secret } = await dataOf(
    createControl(server, world).GET("/_sandbox/worlds/{worldId}/credentials", { params }),
  );
  const { url } = server;
  return {
    ...{ url, auth_url: url, token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox` },
    ...{ client_id: items[0]?.client_id ?? "", client_secret: items[0]?.client_secret ?? "" },
    ...{ control_token: undefined, webhook_secret: webhook_secret ?? null },
  };
}
