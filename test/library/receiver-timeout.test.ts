// A receiver that is stopped in a debugger: it has the time that `receiverTimeout` says, and gets one attempt.
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type SandboxOptions, startSandbox } from "../../src/index.ts";
import { startLocalServer } from "../local-server.ts";
import { book, CLOCK } from "./works-anywhere.ts";

/** Responses that the receiver has not sent yet. */
const pending: ServerResponse[] = [];
let requests = 0;
const receiver = await startLocalServer((_, response) => {
  requests++;
  pending.push(response);
});
const webhookUrl = `${receiver.url}/hook`;

afterEach(() => respond());
afterAll(() => receiver.close());

function respond(): void {
  for (const response of pending.splice(0)) response.writeHead(204).end();
}

/** A sandbox with one attempt in flight. */
async function startWithAttempt(options: SandboxOptions) {
  requests = 0;
  const sandbox = await startSandbox({
    ...options,
    fixture: "harbour-tours",
    webhookUrl,
    webhookEvents: ["v1.booking.created"],
  });
  await book(sandbox);
  await expect.poll(() => requests).toBe(1);
  const read = async () => (await sandbox.webhooks.all("v1.booking.created"))[0]?.deliveries[0];
  return { sandbox, read };
}

describe("A receiver that takes longer than a debugger's breakpoint", () => {
  it("gets one attempt when the timeout is longer than it takes", async () => {
    const { sandbox, read } = await startWithAttempt({ clock: CLOCK, retry: "fast", receiverTimeout: "PT10S" });
    const moved = sandbox.clock.advance("P1D");
    // As many attempts as the clock would have started without the one in flight.
    await expect.poll(async () => (await read())?.in_flight_ms).toBeGreaterThan(300);
    expect(requests).toBe(1);
    respond();
    const { receipt } = await moved;
    expect(receipt.filter(({ what }) => what === "deliveryAttempted")).toHaveLength(1);
    expect(await read()).toMatchObject({ state: "DELIVERED", attempts: [{ outcome: "ACCEPTED" }] });
    expect(requests).toBe(1);
    await sandbox.close();
  });

  it("gets another attempt when the timeout is shorter", async () => {
    const { sandbox, read } = await startWithAttempt({ clock: CLOCK, receiverTimeout: "PT0.2S" });
    await expect.poll(async () => (await read())?.attempts.length).toBe(1);
    const moved = sandbox.clock.advance("PT10S");
    await expect.poll(() => requests).toBe(2);
    respond();
    await moved;
    expect((await read())?.attempts).toMatchObject([
      { outcome: "TIMED_OUT", error: expect.stringContaining("within 0.2 s") },
      { outcome: "ACCEPTED" },
    ]);
    await sandbox.close();
  });

  it("delays a resend, and the real clock does not wait for it", async () => {
    const { sandbox, read } = await startWithAttempt({ clock: "now", receiverTimeout: "none" });
    const id = (await sandbox.webhooks.all())[0]?.id ?? "";
    const resent = sandbox.webhooks.resend(id, { copies: 2 });
    await expect.poll(async () => (await read())?.in_flight_ms).toBeGreaterThan(100);
    expect(requests).toBe(1);
    respond();
    for (const expected of [2, 3]) {
      await expect.poll(() => requests).toBe(expected);
      respond();
    }
    expect((await resent)[0]?.attempts).toHaveLength(3);
    await sandbox.close();
  });
});

it.each(["15", "PT0S", "P", "never"])("rejects the timeout %s", async (receiverTimeout) => {
  const rejected = startSandbox({ receiverTimeout });
  await expect(rejected).rejects.toThrow(
    `receiverTimeout is ${receiverTimeout}, which is not a duration. Write it as PT15S or PT10M, or none.`,
  );
});
