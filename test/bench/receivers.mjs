// How fast webhooks go: many messages to a fast receiver on loopback, and single ones while nothing else happens.
import { createServer } from "node:http";
import { median } from "./servers.mjs";

const KIND = "v1.marketing_consent.created";

export async function webhookFigures(library, count) {
  let [status, heard] = [204, () => {}];
  const receiver = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(status).end();
      heard();
    });
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const webhookUrl = `http://127.0.0.1:${receiver.address().port}/`;
  const sandbox = await library.startSandbox({
    fixture: "empty",
    clock: "2030-06-01T09:00:00Z",
    webhookUrl,
    webhookEvents: [KIND],
  });
  const consent = (n) => sandbox.act("submitConsent", { email: `guest-${n}@example.com`, full_name: "A Guest" });
  const next = (times) =>
    new Promise((resolve) => {
      let left = times;
      heard = () => --left === 0 && resolve();
    });

  const waits = [];
  for (let n = 0; n < 50; n++) {
    const came = next(1);
    await consent(n);
    const committed = performance.now();
    await came;
    waits.push(Math.max(0, performance.now() - committed));
  }

  // Refused once, and then sent again all at the same moment, so that only delivery is timed.
  status = 500;
  const refused = next(count);
  for (let n = 0; n < count; n++) await consent(`burst-${n}`);
  await refused;
  status = 204;
  const accepted = next(count);
  const began = performance.now();
  await fetch(`${sandbox.controlUrl}/messages/resend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ failed_since: "2030-06-01T00:00:00Z" }),
  });
  await accepted;
  const perSecond = count / ((performance.now() - began) / 1000);
  await sandbox.close();
  receiver.close();
  return { perSecond, firstAttempt: median(waits) };
}
