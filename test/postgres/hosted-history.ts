// Clients of one world that ask random nodes at random, and the history of what they were answered.
import { setTimeout as pause } from "node:timers/promises";
import { furnished, type HostedWorld } from "./clients.ts";
import type { Answer, Cluster } from "./cluster.ts";
import { type Answered, type Booked, bookings, type Listed, type Question, settled } from "./history/bookings.ts";
import { check } from "./history/linearizable.ts";

export const SEATS = 8;
/** A page of the list shows all of them. */
const MOST_BOOKINGS = 95;
const CLIENTS = 3;

export interface History {
  world: string;
  operations: Booked[];
  /** Answers that nothing explains. */
  wrong: string[];
  /** How many requests were not answered, or with a status of UNKNOWN. */
  unknown: number;
}

/** No answer; a world that moves; a node that was stopped before the request was complete. */
const UNKNOWN = new Set([0, 503, 408]);

/** A status that says how it went; undefined when that is not known. */
type Reading = (answer: Answer) => Answered | undefined;

const KNOWN: Record<string, Reading> = {
  create: ({ status }) => (status === 201 ? "made" : status === 409 ? "sold out" : undefined),
  get: ({ status, body }) => (status === 200 ? body.status : status === 404 ? "none" : undefined),
  cancel: ({ status }) => ({ 200: "cancelled" as const, 409: "refused" as const, 404: "none" as const })[status],
  seats: ({ status, body }) => (status === 200 ? body.capacity.reserved : undefined),
  list: ({ status, body }) =>
    status === 200
      ? (Object.fromEntries(
          (body.items as { metadata: { name: string }; status: string }[]).map((each) => [
            each.metadata.name,
            each.status,
          ]),
        ) as Listed)
      : undefined,
};

class Recording {
  readonly history: History;
  readonly #world: HostedWorld;
  readonly #cluster: Cluster;
  readonly #ids = new Map<string, string>();
  readonly #counts: { known: number };
  #names = 0;

  constructor(cluster: Cluster, world: HostedWorld, counts: { known: number }) {
    this.#counts = counts;
    this.#cluster = cluster;
    this.#world = world;
    this.history = { world: world.id, operations: [], wrong: [], unknown: 0 };
  }

  async #send(requested: Question, patience: number): Promise<Answer> {
    const { url } = this.#cluster.any();
    const id = (name: string) => this.#ids.get(name) ?? "";
    if ("create" in requested) return this.#world.book(url, { metadata: { name: requested.create } });
    if ("get" in requested) return this.#world.get(url, `/v1/bookings/${id(requested.get)}`, patience);
    if ("cancel" in requested) return this.#world.act(url, "cancelBooking", { booking_id: id(requested.cancel) });
    if ("seats" in requested) return this.#world.get(url, "/v1/events/evt-noon", patience);
    return this.#world.get(url, "/v1/bookings?limit=100", patience);
  }

  async did(requested: Question, patience = 15_000): Promise<Answered | undefined> {
    const answer = await this.#send(requested, patience);
    const { status, body, from, until } = answer;
    const output = KNOWN[Object.keys(requested)[0] as string]?.(answer);
    if (output === undefined) {
      this.history.unknown++;
      if (!UNKNOWN.has(status))
        this.history.wrong.push(`${JSON.stringify(requested)}: ${status} ${JSON.stringify(body)}`);
      this.history.operations.push({ input: requested, from, until: Number.POSITIVE_INFINITY });
      await pause(300);
      return undefined;
    }
    if ("create" in requested && output === "made") this.#named(requested.create, body.id);
    this.history.operations.push({ input: requested, output, from, until });
    this.#counts.known++;
    return output;
  }

  #named(name: string, id: string): void {
    for (const known of this.#ids.values())
      if (known === id) this.history.wrong.push(`${id} is the id of two bookings`);
    this.#ids.set(name, id);
  }

  async client(going: () => boolean): Promise<void> {
    while (going() && this.#names < MOST_BOOKINGS) {
      const known = [...this.#ids.keys()];
      const one = known[Math.floor(Math.random() * known.length)];
      const dice = Math.random();
      if (dice < 0.3 || one === undefined) await this.did({ create: `b${++this.#names}` });
      else if (dice < 0.5) await this.did({ get: one });
      else if (dice < 0.65) await this.did({ cancel: one });
      else if (dice < 0.85) await this.did({ list: true });
      else await this.did({ seats: true });
      await pause(Math.random() * 30);
    }
  }
}

/** One world after another, until it is enough. */
export async function histories(
  cluster: Cluster,
  going: () => boolean,
  name: string,
  counts: { known: number },
): Promise<History[]> {
  const made: Recording[] = [];
  while (going()) {
    const world = await furnished(cluster.any().url, SEATS, { id: `${name}-${made.length}` }).catch(() => undefined);
    if (!world) {
      await pause(200);
      continue;
    }
    const recording = new Recording(cluster, world, counts);
    made.push(recording);
    await Promise.all(Array.from({ length: CLIENTS }, () => recording.client(going)));
  }
  // After everything, when all answer again.
  for (const recording of made) {
    for (let tries = 0; tries < 100 && (await recording.did({ list: true })) === undefined; tries++) await pause(200);
  }
  return made.map(({ history }) => history);
}

/** What is wrong with it; nothing when it is linearizable. */
export function judged({ world, operations, wrong }: History): string[] {
  const verdict = check(settled(operations), bookings(SEATS));
  if (verdict.isLinearizable) return wrong;
  const stuck = verdict.stuck.map((each) => JSON.stringify(each)).join("\n  ");
  return [
    ...wrong,
    `${world} is not linearizable: after ${verdict.longest} of ${operations.length} nothing fits:\n  ${stuck}`,
  ];
}
