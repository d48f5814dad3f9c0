// The worlds that pictures of the console are taken of: one with nothing in it, the shipped one after some traffic, and one with nearly 10,000
// bookings. Ids and clocks are fixed; what differs between two runs (wall times, durations, ports) a page is told as if it did not.
import type { Page } from "playwright-core";
import { vi } from "vitest";
import type { Sandbox, World } from "../../../src/index.ts";
import { callControl } from "../requests.ts";

export const STATES = ["empty", "usual", "full"] as const;
export type State = (typeof STATES)[number];

export interface Pictured {
  world: World;
  /** The request that was refused, and a message that was sent. */
  refused?: string;
  message?: string;
}

const MANY = 9_800;

interface Listed {
  id: string;
  seq: number;
  deliveries: readonly { state: string }[];
}

const customer = {
  customer_type: "PRIVATE",
  name: "Anna Holm",
  email: "anna@example.com",
  phone: "+4520123456",
  address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
};

export async function picturedWorlds(sandbox: Sandbox, receiver: string): Promise<Record<State, Pictured>> {
  return {
    empty: { world: await sandbox.world({ id: "empty", fixture: "empty", seed: "7" }) },
    usual: await byDefaultWorld(sandbox, receiver),
    full: await worldOf(sandbox, "full", receiver, MANY),
  };
}

/** The shipped world after some traffic. */
export const byDefaultWorld = (sandbox: Sandbox, receiver: string): Promise<Pictured> =>
  worldOf(sandbox, "usual", receiver, 0);

async function worldOf(sandbox: Sandbox, id: State, receiver: string, more: number): Promise<Pictured> {
  const world = await sandbox.world({ id, fixture: "harbour-tours", seed: "7", webhookUrl: `${receiver}/${id}` });
  if (more > 0) await world.populate(more, { seed: "7" });
  return { world, ...(await traffic(sandbox, world)) };
}

/** A booking, one that is refused, a cancellation, an hour, an act that is undone, and an answer that is lost. */
async function traffic(sandbox: Sandbox, world: World): Promise<Omit<Pictured, "world">> {
  const inControl = (method: string, path: string, body?: object) =>
    callControl<{ items: Listed[] }>(world, method, path, body);
  let client = await clientOf(sandbox, world);
  await client.book(2);
  const refused = (await client.book(40)).headers.get("sandbox-request-id") ?? "";
  await client.get("/v1/events?limit=5");
  await world.act("cancelBooking", { booking_id: "bkg-026" });
  await world.clock.advance("PT1H");
  const { items } = await inControl("GET", "history?limit=1");
  await world.act("cancelEvent", { event_id: "evt-evening" });
  await inControl("POST", "rewind", { to: String(items[0]?.seq) });
  client = await clientOf(sandbox, world);
  await client.get("/v1/bookings/bkg-026");
  await world.faults.arm({ operation: "createBooking", when: "after", status: 503, times: 1 });
  await client.book(1);
  await client.book(1);
  await world.faults.arm({ operation: "getEvent", status: 429, retry_after: 5, times: 3 });
  await inControl("PUT", "assumptions", { "booking-create-status": "200" });
  await inControl("PUT", "snapshots/before-the-season");
  const delivered = async () => {
    const { items: messages } = await inControl("GET", "messages?limit=1000");
    if (messages.some(({ deliveries }) => deliveries.some(({ state }) => state === "PENDING")))
      throw new Error("A webhook is still to be delivered.");
    return messages;
  };
  const [message] = await vi.waitFor(delivered, { timeout: 30_000 });
  return { refused, message: message?.id ?? "" };
}

async function clientOf({ url }: Sandbox, world: World) {
  const headers = { authorization: `Bearer ${await world.token()}`, "content-type": "application/json" };
  return {
    get: (path: string) => fetch(url + path, { headers }),
    book(quantity: number) {
      const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity }];
      const body = JSON.stringify({ event_id: "evt-tomorrow-evening", locale: "da", customer, items });
      return fetch(`${url}/v1/bookings`, { method: "POST", headers, body });
    },
  };
}

const BEGAN = Date.parse("2030-01-01T12:00:00Z");
const EACH_MS = 137;
/** Of another width in every run, so that lines would break elsewhere. */
const ID_IN_WORDS = /(?<= )req-[\da-f]+/g;

/** What the sandbox answers this page is the same in every run. */
export async function asAlways(page: Page, receiver: string): Promise<void> {
  const one = (name: string, value: unknown, { seq }: { seq?: unknown }) => {
    if (name === "duration_ms" && typeof value === "number") return 12;
    if (typeof value !== "string") return value;
    if (/^(wall_at|saved_at)$/.test(name)) return new Date(BEGAN + (Number(seq) || 0) * EACH_MS).toISOString();
    return value.replace(receiver, "http://127.0.0.1:4020").replace(ID_IN_WORDS, "req-0a1b2c");
  };
  await page.route(/\/_sandbox\/(?!ui|stream)/, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const steady = (_: string, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, one(name, each, value)]))
        : value;
    await route.fulfill({ response, body: text && JSON.stringify(JSON.parse(text, steady)) });
  });
}
