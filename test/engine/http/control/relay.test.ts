// A relay gets only the attempts that are for the machine of the client, and reports only on those of its own world.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createControl } from "../../../../src/client/create-control.ts";
import { openRelay, type RelayedDelivery } from "../../../../src/client/relay.ts";
import { shareSandbox, type TestWorld } from "../../../sandbox.ts";

const sandbox = shareSandbox();

/** The attempts that the relay was given. None of them is reported. */
async function openRelayOf(world: TestWorld, sent: Promise<void> = Promise.resolve()) {
  const given: RelayedDelivery[] = [];
  const control = createControl({ url: sandbox.url, controlToken: sandbox.running.application.controlToken }, world.id);
  const relay = await openRelay(control, (delivery) => {
    given.push(delivery);
    return { sent, report: new Promise(() => undefined) };
  });
  onTestFinished(relay.close);
  return { given, close: relay.close };
}

async function openWorld(webhook_url: string) {
  const world = await sandbox.world({ webhook_url });
  return { world, ...(await openRelayOf(world)) };
}

async function trigger(world: TestWorld): Promise<void> {
  expect((await world.control("post", "trigger", { kind: "v1.booking.created" })).status).toBe(200);
}

function reportTo(world: TestWorld, delivery: RelayedDelivery | undefined) {
  const answer = { status: 204, headers: {}, body: world.id };
  return world.control("post", `relay/${delivery?.id}`, { outcome: "ANSWERED", answer, duration_ms: 1 });
}

async function attemptsOf(world: TestWorld) {
  const { items } = (await world.control("get", "messages")).body;
  return items.flatMap(({ deliveries }: { deliveries: { attempts: object[] }[] }) =>
    deliveries.flatMap(({ attempts }) => attempts),
  );
}

it("the sandbox itself sends an attempt to an address outside the loopback", async () => {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204, { connection: "close" }).end();
  });
  await once(receiver.listen(0, "0.0.0.0"), "listening");
  onTestFinished(() => void receiver.close());
  // It leads to this machine too, and is none of the loopback's addresses.
  const { world, given } = await openWorld(`http://0.0.0.0:${(receiver.address() as AddressInfo).port}/hook`);
  await trigger(world);
  await expect.poll(() => attemptsOf(world), { timeout: 20_000 }).toMatchObject([{ outcome: "ACCEPTED" }]);
  expect((await attemptsOf(world))[0]).not.toHaveProperty("relayed");
  expect(given).toEqual([]);
});

it("a report counts in the world of the attempt, and changes nothing in another", async () => {
  const { world, given } = await openWorld("http://127.0.0.1:9/");
  const other = await sandbox.world();
  await trigger(world);
  await expect.poll(() => given.length, { timeout: 20_000 }).toBe(1);
  const report = (from: TestWorld) => reportTo(from, given[0]);
  expect(await report(other)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  expect(await attemptsOf(world)).toEqual([]);
  expect((await report(world)).status).toBeLessThan(300);
  await expect
    .poll(() => attemptsOf(world), { timeout: 20_000 })
    .toMatchObject([{ outcome: "ACCEPTED", relayed: true, answer: { body: world.id } }]);
});

it("a relay that ends leaves the attempts of another of the same world", async () => {
  const { world, close } = await openWorld("http://127.0.0.1:9/");
  const { given } = await openRelayOf(world);
  await trigger(world);
  await expect.poll(() => given.length, { timeout: 20_000 }).toBe(1);
  close();
  // The sandbox sees the end of the connection later.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await reportTo(world, given[0])).status).toBeLessThan(300);
});

it("a relay sends to one address in order, each when the one before is sent", async () => {
  const world = await sandbox.world({ webhook_url: "http://127.0.0.1:9/" });
  let send = () => {};
  const { given } = await openRelayOf(world, new Promise((resolve) => (send = resolve)));
  await trigger(world);
  await trigger(world);
  await expect.poll(() => given.length, { timeout: 20_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(given).toHaveLength(1);
  send();
  await expect.poll(() => given.length, { timeout: 20_000 }).toBe(2);
});
