// One world as a test sees it: credentials of its own, and the host's, the clock's and the network's side in its hands.
import type { components } from "../generated/control.ts";
import { type Remote, remoteOf, SandboxError } from "./remote.ts";

type Schemas = components["schemas"];

export type Fact = Schemas["Fact"];
export type Message = Schemas["Message"];
export type JournalRequest = Schemas["JournalRequest"];
export type ReceiptLine = Schemas["ReceiptLine"];
export type Fault = Schemas["FaultInput"];

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export interface World {
  readonly id: string;
  /** The base address of the service: every path begins with `/v1` behind it. */
  readonly url: string;
  readonly tokenUrl: string;
  readonly credentials: Credentials;
  /** A bearer token with these scopes; without them, with all that the key has. */
  token(scopes?: readonly string[]): Promise<string>;
  /** A move of the host: `act("cancelBooking", { booking_id })`. Rejects with a SandboxError that has the rule's code. */
  // biome-ignore lint/suspicious/noExplicitAny: the result is as the act shows it, a resource of the specification
  act(name: string, input?: object): Promise<{ result: any; facts: Fact[] }>;
  readonly clock: {
    now(): Promise<string>;
    /** By an ISO 8601 duration; answers when everything due has settled. */
    advance(by: string): Promise<{ now: string; receipt: ReceiptLine[] }>;
    /** To the next instant at which something is due. */
    next(): Promise<{ now: string; receipt: ReceiptLine[] }>;
    set(now: string): Promise<{ now: string; receipt: ReceiptLine[] }>;
    hold(): Promise<void>;
    run(): Promise<void>;
  };
  readonly webhooks: {
    /** The newest message of the kind, once there are `times` (1) of them; rejects when the time (5000 ms) is up. */
    waitFor(kind: string, options?: { times?: number; timeout?: number }): Promise<Message>;
    all(kind?: string): Promise<Message[]>;
  };
  /** The request journal, oldest first. */
  requests(filter?: { operation?: string; status?: number | string; limit?: number }): Promise<JournalRequest[]>;
  readonly faults: {
    arm(...faults: Fault[]): Promise<void>;
    list(): Promise<(Fault & { hits: number })[]>;
    clear(): Promise<void>;
  };
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Takes other answers to open questions about the service, by assumption id. */
  assume(values: Record<string, string>): Promise<void>;
  /** Back to what the world began as; its id, credentials and tokens stay. */
  reset(): Promise<void>;
  /** A copy of it as it stands, with credentials of its own. */
  fork(): Promise<World>;
  /** Takes the world away. */
  remove(): Promise<void>;
}

export interface Place {
  url: string;
  controlUrl: string;
  controlToken: string;
}

interface Introduced {
  id: string;
  client_id: string;
  client_secret: string;
}

export function worldAt(place: Place, { id, client_id, client_secret }: Introduced): World {
  const remote = remoteOf(place.controlUrl, id, place.controlToken);
  const tokenUrl = `${place.url}/oauth2/token`;
  const credentials = { clientId: client_id, clientSecret: client_secret };
  return {
    id,
    url: place.url,
    tokenUrl,
    credentials,
    token: (scopes) => tokenFor(place.url, credentials, scopes),
    act: (name, input = {}) => remote.post(`/acts/${encodeURIComponent(name)}`, input),
    clock: clockOf(remote),
    webhooks: webhooksOf(remote),
    requests: async (filter = {}) => (await remote.get<{ items: JournalRequest[] }>("/requests", filter)).items,
    faults: {
      arm: async (...faults) => void (await remote.put("/faults", { faults })),
      list: async () => (await remote.get<{ faults: (Fault & { hits: number })[] }>("/faults")).faults,
      clear: () => remote.delete("/faults"),
    },
    snapshot: async (name) => void (await remote.put(`/snapshots/${encodeURIComponent(name)}`)),
    restore: async (name) => void (await remote.post(`/snapshots/${encodeURIComponent(name)}/restore`)),
    assume: async (values) => void (await remote.put("/assumptions", values)),
    reset: async () => void (await remote.post("/state/reset")),
    fork: async () => {
      const { items } = await remote.post<{ items: [Introduced] }>(`/worlds/${encodeURIComponent(id)}/fork`, {});
      return worldAt(place, items[0]);
    },
    remove: () => remote.delete(`/worlds/${encodeURIComponent(id)}`),
  };
}

async function tokenFor(
  url: string,
  { clientId, clientSecret }: Credentials,
  scopes?: readonly string[],
): Promise<string> {
  const form = { grant_type: "client_credentials", audience: url, client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams(scopes ? { ...form, scope: scopes.join(" ") } : form);
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body });
  const value = (await answer.json()) as { access_token: string; error?: string; error_description?: string };
  if (!answer.ok) throw new SandboxError(answer.status, value.error ?? "", value.error_description ?? "");
  return value.access_token;
}

function clockOf(remote: Remote): World["clock"] {
  return {
    now: async () => (await remote.get<{ now: string }>("/clock")).now,
    advance: (by) => remote.post("/clock/advance", { by }),
    next: () => remote.post("/clock/advance", { to: "next" }),
    set: (now) => remote.put("/clock", { now }),
    hold: async () => void (await remote.put("/clock", { mode: "held" })),
    run: async () => void (await remote.put("/clock", { mode: "running" })),
  };
}

function webhooksOf(remote: Remote): World["webhooks"] {
  const all = async (kind?: string, times?: number, timeout?: number) =>
    (await remote.get<{ items: Message[] }>("/messages", { kind, wait_for: times, timeout })).items;
  return {
    all: (kind) => all(kind),
    async waitFor(kind, { times = 1, timeout = 5000 } = {}) {
      const found = await all(kind, times, timeout);
      const newest = found.at(-1);
      if (newest && found.length >= times) return newest;
      throw new Error(
        `Waited ${timeout} ms for ${times} × ${kind}; there are ${found.length}. world.webhooks.all() tells what was sent.`,
      );
    },
  };
}
