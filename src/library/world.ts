// One world as a test uses it: its credentials, and control of host actions, clock, webhooks and faults.
import { type Control, controlOf, dataOf, perform } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { components, operations } from "../generated/control.ts";

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

type RequestFilter = NonNullable<operations["listRequests"]["parameters"]["query"]>;
type MessageFilter = NonNullable<operations["listMessages"]["parameters"]["query"]>;
type NewWorld = Pick<Schemas["NewWorld"], "id" | "client_id" | "client_secret">;

export function worldAt(place: Place, { id, client_id, client_secret }: NewWorld): World {
  const control = controlOf(place, id);
  const credentials = { clientId: client_id, clientSecret: client_secret };
  const inSnapshot = (name: string) => ({ params: { path: { name } } });
  const inWorld = { params: { path: { worldId: id } } };
  return {
    id,
    url: place.url,
    tokenUrl: `${place.url}/oauth2/token`,
    credentials,
    token: (scopes) => tokenFor(place.url, credentials, scopes),
    act: (name, input = {}) => dataOf(perform(control, name, input)),
    clock: clockOf(control),
    webhooks: webhooksOf(control),
    requests: async (filter = {}) =>
      (await dataOf(control.GET("/_sandbox/requests", { params: { query: filter as RequestFilter } }))).items,
    faults: {
      arm: async (...faults) => void (await dataOf(control.PUT("/_sandbox/faults", { body: { faults } }))),
      list: async () => (await dataOf(control.GET("/_sandbox/faults"))).faults,
      clear: async () => void (await dataOf(control.DELETE("/_sandbox/faults"))),
    },
    snapshot: async (name) => void (await dataOf(control.PUT("/_sandbox/snapshots/{name}", inSnapshot(name)))),
    restore: async (name) => void (await dataOf(control.POST("/_sandbox/snapshots/{name}/restore", inSnapshot(name)))),
    assume: async (values) => void (await dataOf(control.PUT("/_sandbox/assumptions", { body: values }))),
    reset: async () => void (await dataOf(control.POST("/_sandbox/state/reset"))),
    fork: async () => {
      const { items } = await dataOf(
        control.POST("/_sandbox/worlds/{worldId}/fork", { ...inWorld, body: { count: 1 } }),
      );
      return worldAt(place, items[0] as NewWorld);
    },
    remove: async () => void (await dataOf(control.DELETE("/_sandbox/worlds/{worldId}", inWorld))),
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

function clockOf(control: Control): World["clock"] {
  const advance = (input: { by: string } | { to: "next" }) =>
    dataOf(control.POST("/_sandbox/clock/advance", { body: { ...input, dry_run: false } }));
  const put = (body: Schemas["ClockInput"]) => dataOf(control.PUT("/_sandbox/clock", { body }));
  return {
    now: async () => (await dataOf(control.GET("/_sandbox/clock"))).now,
    advance: (by) => advance({ by }),
    next: () => advance({ to: "next" }),
    set: (now) => put({ now }),
    hold: async () => void (await put({ mode: "held" })),
    run: async () => void (await put({ mode: "running" })),
  };
}

function webhooksOf(control: Control): World["webhooks"] {
  const all = async (query: MessageFilter) =>
    (await dataOf(control.GET("/_sandbox/messages", { params: { query } }))).items;
  return {
    all: (kind) => all(kind === undefined ? {} : { kind: kind as Schemas["Kind"] }),
    async waitFor(kind, { times = 1, timeout = 5000 } = {}) {
      const found = await all({ kind: kind as Schemas["Kind"], wait_for: times, timeout });
      const newest = found.at(-1);
      if (newest && found.length >= times) return newest;
      throw new Error(
        `Waited ${timeout} ms for ${times} × ${kind}; there are ${found.length}. world.webhooks.all() tells what was sent.`,
      );
    },
  };
}
