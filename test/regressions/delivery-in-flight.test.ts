// A delivery in flight, a rejected one and one that waits for a held clock are shown as what they are.

import type { ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { runHere } from "../cli/in-process.ts";
import { receive } from "../engine/webhooks/kit.ts";

/** A receiver that responds when the test says so. */
async function slowReceiver() {
  const waiting: ServerResponse[] = [];
  const { url, until } = await receive((response) => void waiting.push(response));
  return { url, until, respond: (status: number) => waiting.shift()?.writeHead(status).end() };
}

async function sandboxWith(webhookUrl: string): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z", webhookUrl });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

it("shows an attempt in flight, then the response and what the next attempt waits for", async () => {
  const receiver = await slowReceiver();
  const sandbox = await sandboxWith(receiver.url);
  const run = async (words: string) => (await runHere(words.split(" "), { SANDBOX_URL: sandbox.url })).stdout;
  const { id } = await sandbox.act("cancelBooking", { booking_id: "bkg-evening" }).then(() => latest(sandbox));
  await receiver.until(1);
  expect(await run("logs --messages --filter-status pending")).toMatch(
    /PENDING {2}http:\S+ {2}attempt 1 in flight for \d+ s\n/,
  );
  // What follows is about its cause, with other deliveries.
  const showMessage = async () => (await run(`show ${id}`)).split("\n caused by:")[0];
  const flying = await showMessage();
  expect(flying).toMatch(/PENDING, attempt 1 in flight for \d+ s\n/);
  expect(flying).not.toMatch(/not attempted yet|next attempt/);
  expect(await run(`why ${id}`)).toMatch(/attempt 1 in flight for \d+ s/);

  receiver.respond(500);
  await expect.poll(showMessage).toContain("PENDING, next attempt when the clock moves to 09:00:05Z");
  const tried = "1 attempt: receiver responded 500; next attempt when the clock moves to 09:00:05Z";
  expect(await run("logs --messages --filter-status pending")).toContain(tried);
  expect(await run("logs --kinds delivery")).toContain(
    "receiver responded 500; next attempt when the clock moves to 09:00:05Z",
  );
  expect(await showMessage()).not.toContain("in flight");
});

it("says when the next attempt is due on a clock that runs", async () => {
  const receiver = await slowReceiver();
  const sandbox = await sandboxWith(receiver.url);
  await sandbox.clock.run();
  await sandbox.act("cancelBooking", { booking_id: "bkg-evening" });
  await receiver.until(1);
  receiver.respond(500);
  const logs = () => runHere(["logs", "--kinds", "delivery"], { SANDBOX_URL: sandbox.url });
  await expect.poll(async () => (await logs()).stdout).toMatch(/receiver responded 500; next attempt 09:0\d:\d\dZ /);
});

async function latest(sandbox: Sandbox) {
  const messages = await sandbox.webhooks.all("v1.booking.cancelled");
  return messages.at(-1) ?? { id: "" };
}
