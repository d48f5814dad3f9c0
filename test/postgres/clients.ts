// A world of a cluster as its integrator uses it: a token, bookings, and what the host does.
import { expect } from "vitest";
import { furnish, INPUT } from "../durability/own-process.ts";
import { type Answer, ask } from "./cluster.ts";
import { eventually } from "./node.ts";

export interface HostedWorld {
  id: string;
  token: string;
  book(url: string, more?: object): Promise<Answer>;
  get(url: string, path: string, patience?: number): Promise<Answer>;
  act(url: string, name: string, input: object): Promise<Answer>;
  control(url: string, method: string, path: string, body?: unknown): Promise<Answer>;
}

interface Made {
  fixture?: string;
  id?: string;
  /** With `now` it runs. */
  clock?: string;
  webhook?: { url: string; kinds: string[] };
}

/** Its clock is held, unless it is said to run. */
export async function newWorld(url: string, made: Made = {}): Promise<HostedWorld> {
  const { clock = "2030-06-01T09:00:00Z", fixture = "empty", id, webhook } = made;
  const input = {
    fixture,
    clock,
    ...(id ? { id } : {}),
    ...(webhook ? { webhook_url: webhook.url, webhook_events: webhook.kinds } : {}),
  };
  const { status, body } = await ask(url, "/_sandbox/worlds", { body: input });
  if (status !== 201) throw new Error(`no world: ${status} ${JSON.stringify(body)}`);
  return hostedWorld(url, body);
}

/** With one event of so many seats. */
export async function furnished(url: string, capacity: number, made: Made = {}): Promise<HostedWorld> {
  const world = await newWorld(url, made);
  const day = made.clock === "now" ? "2035-06-02" : "2030-06-02";
  const hands = {
    async act(name: string, input: object) {
      const of = name === "createEvent" ? { ...input, capacity } : input;
      const { status, body } = await world.act(url, name, of);
      if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
    },
  };
  await furnish(hands, day);
  return world;
}

export async function hostedWorld(
  url: string,
  { id, client_id, client_secret }: { id: string; client_id: string; client_secret: string },
): Promise<HostedWorld> {
  const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  const token = ((await answer.json()) as { access_token: string }).access_token;
  const control: HostedWorld["control"] = (at, method, path, body) =>
    ask(at, `/_sandbox/${path}`, { method, world: id, ...(body === undefined ? {} : { body }) });
  return {
    id,
    token,
    control,
    book: (at, more = {}) => ask(at, "/v1/bookings", { token, body: { ...INPUT, ...more } }),
    get: (at, path, patience) => ask(at, path, { token, ...(patience ? { patience } : {}) }),
    act: (at, name, input) => control(at, "POST", `acts/${name}`, input),
  };
}

interface ListedBooking {
  id: string;
  metadata?: { name?: string };
}

/** Reads every page of the list. */
export async function bookingsOf(world: HostedWorld, url: string): Promise<ListedBooking[]> {
  const found: ListedBooking[] = [];
  for (let cursor = ""; ; ) {
    const { status, body } = await world.get(
      url,
      `/v1/bookings?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status !== 200) throw new Error(`the list was answered ${status}: ${JSON.stringify(body)}`);
    found.push(...body.items);
    if (!body.next) return found;
    cursor = body.next;
  }
}

/** After a kill, a restart or a failover a node may respond with 503 until it has reached the database and the owner again. */
export async function waitAndListBookings(world: HostedWorld, url: string): Promise<ListedBooking[]> {
  await eventually(async () => expect((await world.get(url, "/v1/bookings?limit=1")).status).toBe(200));
  return bookingsOf(world, url);
}
