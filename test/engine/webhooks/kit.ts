// A small sandbox for the dispatcher: one world made by the rules, a clock in the hand, receivers on loopback that behave as told.
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { placeBooking } from "../../../src/engine/domain/booking/booking.ts";
import { createExperience } from "../../../src/engine/domain/catalogue/experience.ts";
import { addLocation } from "../../../src/engine/domain/catalogue/location.ts";
import { createSubscription } from "../../../src/engine/domain/company/subscription.ts";
import { createEvent } from "../../../src/engine/domain/event/event.ts";
import { after, fromMillis, type Instant, toMillis } from "../../../src/engine/domain/kernel/instant.ts";
import { EVENT_KINDS, type EventKind } from "../../../src/engine/domain/kernel/kinds.ts";
import type { Booking, Delivery, Message, Subscription } from "../../../src/engine/domain/kernel/records.ts";
import type { Transaction } from "../../../src/engine/domain/kernel/transaction.ts";
import { price } from "../../../src/engine/domain/money/money.ts";
import { type Dispatcher, type DispatcherPorts, makeDispatcher } from "../../../src/engine/webhooks/dispatcher.ts";
import { makeMessages } from "../../../src/engine/webhooks/messages.ts";
import { writeMessages } from "../../../src/engine/webhooks/outbox.ts";
import type { RowChange } from "../../../src/engine/world/state/commit.ts";
import { createCollections } from "../../../src/engine/world/state/schema.ts";
import { makeWorld, type World } from "../../../src/engine/world/state/world.ts";

export const NOON: Instant = "2030-06-01T12:00:00.000Z";
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const BY_DEFAULT: Record<string, string> = {
  "signature-text": "bare",
  "signature-key": "decoded",
  "webhook-timestamp": "wall",
  "capacity-kind": "none",
  "no-op-update": "untold",
  "delivery-success": "2xx",
};

export interface TestSandbox extends DispatcherPorts {
  world(id: string): World;
  /** The world that this sandbox is about. */
  own: World;
  kept: RowChange[][];
  attempts: { delivery: Delivery; message: Message }[];
  at(instant: Instant): void;
  run(): void;
  commit<T>(work: (tx: Transaction) => T, cause?: string): T;
  messages(): Message[];
  deliveries(): Delivery[];
  /** Another world object over the same records, as after a restart. */
  reopen(): void;
  /** What is told after each commit. */
  after: () => void;
}

export function makeHouse(
  assumed: Record<string, string> = {},
  retry: DispatcherPorts["retry"] = "standard",
): TestSandbox {
  const collections = createCollections();
  let cause = "";
  const retained: RowChange[][] = [];
  const open = () =>
    makeWorld(
      "default",
      {
        assumes: (id) => assumed[id] ?? BY_DEFAULT[id] ?? "",
        address: (path) => `http://sandbox.test/${path}`,
        beforeCommit: (tx) => writeMessages(tx, cause),
        append: ({ changes }) =>
          void retained.push(changes.map(({ collection, id, after }) => [collection, id, after])),
      },
      collections,
    );
  let now = NOON;
  let offset: number | undefined;
  const sandbox: TestSandbox = {
    own: open(),
    kept: retained,
    attempts: [],
    retry,
    failed: () => undefined,
    after: () => undefined,
    now: () => (offset === undefined ? now : fromMillis(Date.now() + offset)),
    mode: () => (offset === undefined ? "held" : "running"),
    wall: () => Date.now(),
    durable: () => undefined,
    world: () => sandbox.own,
    change(world, why, work) {
      cause = why.id;
      const outcome = world.transact(sandbox.now(world), work);
      return { result: outcome.result, facts: [...outcome.facts] };
    },
    read: (world, question) => world.read(sandbox.now(world), question),
    faultFor: () => undefined,
    attempted: (_, delivery, message) => void sandbox.attempts.push({ delivery, message }),
    at(instant) {
      now = instant;
    },
    run() {
      offset = toMillis(now) - Date.now();
    },
    commit(work, why = "test") {
      const { result } = sandbox.change(sandbox.own, { kind: "request", id: why }, work);
      sandbox.after();
      return result;
    },
    messages: () => [...collections.messages.walk("created")],
    deliveries: () => [...collections.deliveries.walk("message")].sort((a, b) => a.place - b.place),
    reopen() {
      sandbox.own = open();
    },
  };
  sandbox.own.transact(NOON, furnish);
  sandbox.own.transact(NOON, (tx) => {
    for (const message of [...tx.messages.walk("created")]) tx.messages.remove(message.id);
  });
  return sandbox;
}

/** A company with one experience and one large event. */
function furnish(tx: Transaction): void {
  const company = { company_id: "cmp-test", name: "Test ApS", user_id: "usr", email: "a@example.com", timezone: "UTC" };
  tx.company.put({ id: "company", ...company, languages: ["en"], currency: "DKK" });
  tx.identity.put({ id: "identity", seed: "7", fixture: "test", cursor_key: "k", assumptions: {} } as never);
  addLocation(tx, { id: "loc" });
  createExperience(tx, {
    id: "exp",
    name: "A tour",
    ticket_variants: [{ id: "adult", name: "Adult", price: price(10_000, "DKK"), vat_rate: "0.25" }],
  });
  newEvent(tx, "evt");
}

export function newEvent(tx: Transaction, id: string, start = "2030-06-02T10:00:00", end = "2030-06-02T12:00:00") {
  return createEvent(tx, {
    id,
    experience_id: "exp",
    capacity: 100_000,
    sessions: [{ start_time: start, end_time: end }],
  });
}

export function book(tx: Transaction, event = "evt"): Booking {
  const customer = { customer_type: "PRIVATE" as const, name: "Anna Holm", email: "anna@example.com" };
  const items = [{ type_id: "adult", item_type: "VARIANT" as const, quantity: 1 }];
  return placeBooking(tx, tx.events.get(event)!, { event_id: event, customer, items });
}

export function subscribe(sandbox: TestSandbox, url: string, kinds: readonly EventKind[] = EVENT_KINDS): Subscription {
  return sandbox.commit((tx) => createSubscription(tx, { url, event_types: [...kinds], state: "ENABLED" }, SECRET));
}

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface Receiver {
  url: string;
  got: Received[];
  /** Resolves once so many have come. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** `answer` gets the number of the request, from 1; by default 204. */
export async function openReceiver(
  answer: (response: ServerResponse, index: number, received: Received) => void = (response) =>
    void response.writeHead(204).end(),
  make: (listener: Parameters<typeof createServer>[1]) => Server = (listener) => createServer(listener!),
): Promise<Receiver> {
  const got: Received[] = [];
  let waiting: { count: number; resolve(): void }[] = [];
  const server = make((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      };
      got.push(received);
      answer(response, got.length, received);
      for (const waiter of waiting) if (got.length >= waiter.count) waiter.resolve();
      waiting = waiting.filter(({ count }) => got.length < count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    until: (count) =>
      got.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close,
  };
}

/** A receiver that is closed after the test. */
export async function receive(...input: Parameters<typeof openReceiver>): Promise<Receiver> {
  const receiver = await openReceiver(...input);
  onTestFinished(receiver.close);
  return receiver;
}

/** The independent verifier: ten lines from the description of the headers. */
export function isGenuine({ headers, body }: Pick<Received, "headers" | "body">, secret = SECRET): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
  const fresh = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
  return fresh && createHmac("sha256", key).update(signed).digest("base64") === headers["webhook-signature"];
}

export async function eventually(check: () => boolean, ms = 50_000): Promise<void> {
  const end = Date.now() + ms;
  while (!check()) {
    if (Date.now() > end) throw new Error("it did not come about in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The instant so long after another. */
export const later = after;

export const messagesOf = (sandbox: TestSandbox, wake: Dispatcher["wake"] = () => undefined, secret = "") =>
  makeMessages({ change: sandbox.change, read: sandbox.read, wake, secret: () => secret });

/** A sandbox with a dispatcher, and with one booking that is reported to the receiver. */
export function sendBookingTo(url: string, timeoutMs?: number, sandbox = makeHouse()) {
  const dispatcher = startDispatcher(sandbox, timeoutMs);
  subscribe(sandbox, url, ["v1.booking.created"]);
  sandbox.commit((tx) => book(tx));
  return { sandbox, dispatcher, messages: messagesOf(sandbox, dispatcher.wake) };
}

/** Starts a dispatcher that delivers after each commit, and is closed after the test. */
export function startDispatcher(sandbox: TestSandbox, timeoutMs?: number): Dispatcher {
  const dispatcher = makeDispatcher(sandbox, timeoutMs);
  onTestFinished(() => dispatcher.close());
  sandbox.after = () => dispatcher.wake(sandbox.own);
  return dispatcher;
}
