// world.webhooks.resend: one message or those of a filter, with the results of their deliveries.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { NoMessageError, type Sandbox, startSandbox, type World } from "../../src/index.ts";
import { startLocalServer } from "../local-server.ts";
import { book, CLOCK } from "./works-anywhere.ts";

let sandbox: Sandbox;
let world: World;
/** The receiver responds with it. */
let status = 204;
const received: { id: string; signature: string }[] = [];
const receiver = await startLocalServer((request, response) => {
  const { "webhook-id": id, "webhook-signature": signature } = request.headers;
  received.push({ id: String(id), signature: String(signature) });
  response.writeHead(status).end();
});

const url = `${receiver.url}/hook`;

beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "harbour-tours", clock: CLOCK });
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  status = 204;
  world = await sandbox.world({ webhookUrl: url, webhookEvents: ["v1.booking.created", "v1.booking.cancelled"] });
});

/** Returns the id of the message once it was delivered. */
async function bookAndDeliver(): Promise<string> {
  await book(world);
  const { id } = await world.webhooks.waitFor("v1.booking.created");
  await expect
    .poll(async () => (await world.webhooks.all()).flatMap(({ deliveries }) => deliveries))
    .toSatisfy((deliveries: { attempts: unknown[] }[]) => deliveries.every(({ attempts }) => attempts.length > 0));
  received.length = 0;
  return id;
}

it("sends copies of a message and returns its delivery with their results", async () => {
  const id = await bookAndDeliver();
  const [delivery] = await world.webhooks.resend(id, { copies: 3 });
  expect(received.map((each) => each.id)).toEqual([id, id, id]);
  expect(delivery).toMatchObject({ url, state: "DELIVERED" });
  expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(Array(4).fill("ACCEPTED"));
});

it("changes the sent message, and returns the rejection of the receiver", async () => {
  const id = await bookAndDeliver();
  status = 401;
  const [delivery] = await world.webhooks.resend(id, { tamper: "signature" });
  expect(delivery).toMatchObject({ state: "PENDING" });
  expect(delivery?.attempts.at(-1)).toMatchObject({ outcome: "REFUSED", tamper: "signature", answer: { status: 401 } });
});

it("selects by kind, by age and by failure", async () => {
  const first = await bookAndDeliver();
  const { now } = await world.clock.advance("PT1H");
  status = 500;
  const second = await bookAndDeliver();
  status = 204;
  expect(await world.webhooks.resend({ failed: true })).toMatchObject([{ state: "DELIVERED" }]);
  expect(received.splice(0).map(({ id }) => id)).toEqual([second]);
  await world.webhooks.resend({ kind: "v1.booking.created", since: new Date(now) });
  expect(received.splice(0).map(({ id }) => id)).toEqual([second]);
  expect(await world.webhooks.resend({ kind: "v1.booking.created" })).toHaveLength(2);
  expect(received.map(({ id }) => id).sort()).toEqual([first, second].sort());
});

it("sends to one subscription only", async () => {
  const id = await bookAndDeliver();
  const [{ subscription_id: to } = { subscription_id: "" }] = await world.webhooks.resend(id);
  expect(await world.webhooks.resend({ kind: "v1.booking.created" }, { to })).toMatchObject([{ subscription_id: to }]);
  const unknown = world.webhooks.resend({ kind: "v1.booking.created" }, { to: "sub-none" });
  await expect(unknown).rejects.toMatchObject({ name: "SandboxError", status: 404 });
  expect(received).toHaveLength(2);
});

it("rejects a filter that selects nothing, and sends nothing", async () => {
  await bookAndDeliver();
  const none = world.webhooks.resend({ kind: "v1.booking.cancelled" });
  await expect(none).rejects.toBeInstanceOf(NoMessageError);
  await expect(none).rejects.toThrow('No message matches {"kind":"v1.booking.cancelled"}, so nothing was sent.');
  await expect(world.webhooks.resend({})).rejects.toThrow("Name at least one of kind, since and failed.");
  await expect(world.webhooks.resend("msg_none")).rejects.toMatchObject({ status: 404 });
  const misspelt = world.webhooks.resend({ kinds: "v1.booking.created" } as never);
  await expect(misspelt).rejects.toMatchObject({ name: "SettingError" });
  await expect(world.webhooks.resend({ since: "yesterday" })).rejects.toMatchObject({ status: 400 });
  expect(received).toEqual([]);
});

it("sends all selected messages or none", async () => {
  await bookAndDeliver();
  const other = await sandbox.world();
  await book(other);
  await expect(other.webhooks.resend({ since: CLOCK })).rejects.toMatchObject({ code: "NO_SUBSCRIPTION" });
  expect(received).toEqual([]);
});
