// How soon a webhook is attempted, and how many a fast receiver gets per second.
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { CLOCK, startSandboxServer } from "./sandboxes.mjs";
import { median } from "./servers.mjs";

const PORT = 4610;
const KIND = "v1.marketing_consent.created";
const BURST = 2000;

async function startReceiver() {
  const state = { status: 204, onDelivery: () => {} };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(state.status).end();
      state.onDelivery();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  /** Resolves with the time of the last of the next `count` deliveries. */
  const waitForDeliveries = (count) =>
    new Promise((resolve) => {
      let remaining = count;
      state.onDelivery = () => --remaining === 0 && resolve(performance.now());
    });
  const url = `http://127.0.0.1:${server.address().port}/`;
  return { url, state, waitForDeliveries, close: () => server.close() };
}

export async function measureWebhooks(bench) {
  const receiver = await startReceiver();
  const options = ["--memory", "--webhook-url", receiver.url, "--webhook-events", KIND];
  const sandbox = await startSandboxServer(bench, PORT, ...options);
  const submitConsent = (name) =>
    sandbox.control("POST", "/acts/submitConsent", { email: `${name}@example.com`, full_name: "A Guest" });
  try {
    const first = await measureFirstAttempts(submitConsent, receiver);
    const goals = [{ value: first, sign: "≤", bound: 10 }];
    bench.addRow("from a request to its first webhook attempt", { ours: first, unit: " ms", goals });
    const rates = [];
    for (let round = 0; round < bench.rounds; round++)
      rates.push(await measureBurst(sandbox, submitConsent, receiver, round));
    bench.addRow("webhooks to a fast receiver", { ours: median(rates), unit: "/s" });
  } finally {
    await sandbox.stop();
    receiver.close();
  }
}

async function measureFirstAttempts(submitConsent, { waitForDeliveries }) {
  const waits = [];
  for (let index = 0; index < 200; index++) {
    const delivered = waitForDeliveries(1);
    const sentAt = performance.now();
    await submitConsent(`guest-${index}`);
    waits.push((await delivered) - sentAt);
    await pause(5);
  }
  return median(waits);
}

/** The receiver fails each message once, and all are resent at one time, so only the delivery is measured. */
async function measureBurst({ control }, submitConsent, { state, waitForDeliveries }, round) {
  state.status = 500;
  const failed = waitForDeliveries(BURST);
  for (let index = 0; index < BURST; index += 10)
    await Promise.all(Array.from({ length: 10 }, (_, offset) => submitConsent(`burst-${round}-${index + offset}`)));
  await failed;
  state.status = 204;
  const delivered = waitForDeliveries(BURST);
  const sentAt = performance.now();
  await control("POST", "/messages/resend", { failed_since: CLOCK });
  return BURST / (((await delivered) - sentAt) / 1000);
}
