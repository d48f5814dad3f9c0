// Each refusal of docs/troubleshooting.md is met as it says.
import { expect, it } from "vitest";
import { addOn, book, ticket } from "../engine/operations/kit.ts";
import { shareSandbox, shareWorld } from "../sandbox.ts";
import { refusals } from "./refusals.ts";

type Met = { status: number; body: { code?: string; error?: string } };

const sandbox = shareSandbox();
const world = shareWorld(sandbox);

async function token(change: Record<string, string>): Promise<Met> {
  const form = {
    grant_type: "client_credentials",
    audience: sandbox.url,
    client_id: world.clientId,
    client_secret: world.clientSecret,
  };
  const answer = await fetch(`${sandbox.url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ ...form, ...change }),
  });
  return { status: answer.status, body: (await answer.json()) as Met["body"] };
}

async function plain(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Met> {
  const bearer = { authorization: `Bearer ${await world.token()}` };
  const answer = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { ...bearer, ...headers },
    ...(body ? { body } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as Met["body"] };
}

async function subscribedTwice(): Promise<Met> {
  const body = { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.created"], state: "ENABLED" };
  await world.call("createWebhookSubscription", { body });
  return world.call("createWebhookSubscription", { body });
}

const meets: Record<string, () => Promise<Met>> = {
  "no-token": () => world.call("getMe", { token: null }),
  "scope-missing": async () => world.call("listOrders", { token: await world.token(["booking.read"]) }),
  "unknown-scope": () => token({ scope: "everything" }),
  "wrong-audience": () => token({ audience: "https://api.example.com" }),
  "wrong-secret": () => token({ client_secret: "wrong" }),
  "unknown-id": () => world.call("getBooking", { path: { bookingId: "bkg-nobody" } }),
  "unknown-path": () => plain("GET", "/v1/booking"),
  "wrong-method": () => plain("DELETE", "/v1/bookings"),
  "wrong-type": () => plain("POST", "/v1/bookings", { "content-type": "text/plain" }, "{}"),
  "bad-body": () => world.call("createBooking", { body: {} }),
  "bad-limit": () => world.call("listBookings", { query: { limit: 1000 } }),
  "bad-cursor": () => world.call("listBookings", { query: { cursor: "made-up" } }),
  "no-language": () => plain("GET", "/v1/experiences", { "accept-language": "" }),
  "other-language": () => plain("GET", "/v1/experiences", { "accept-language": "fr" }),
  "unknown-event": () => book(world, "evt-nowhere"),
  "unknown-item": () => book(world, "evt-evening", [ticket("var-tea"), addOn("add-nothing")]),
  "event-cancelled": () => book(world, "evt-cancelled"),
  "past-cutoff": () => book(world, "evt-past-cutoff", [ticket("var-dinner")]),
  full: () => book(world, "evt-sold-out"),
  locked: () => book(world, "evt-locked", [ticket("var-dinner")]),
  "final-card": () =>
    world.call("extendGiftCardExpiry", {
      path: { giftCardId: "gc-spent" },
      body: { expires_at: "2040-01-01T00:00:00Z" },
    }),
  "subscribed-twice": subscribedTwice,
};

it("has a request for each row, and a row for each request", () => {
  expect(Object.keys(meets)).toEqual(refusals.map(({ when }) => when));
});

it.each(refusals.map(({ when, status, code }) => [when, status, code] as const))(
  "%s responds %i %s",
  async (when, status, code) => {
    const met = await (meets[when] as () => Promise<Met>)();
    expect([met.status, met.body.code ?? met.body.error]).toEqual([status, code]);
  },
);
