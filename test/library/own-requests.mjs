// A process of its own that uses the built library in every way that sends something, and prints what became of it.
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import { startSandbox } from "../../dist/index.mjs";

let sockets = 0;
subscribe("net.client.socket", () => sockets++);
let deliveries = 0;
const receiver = createServer((request, response) => {
  deliveries++;
  request.resume();
  response.writeHead(204, { connection: "close" }).end();
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const webhookUrl = `http://127.0.0.1:${receiver.address().port}/`;

async function use(sandbox) {
  const world = await sandbox.world();
  const token = await world.token(["booking.read"]);
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const { body } = await world.webhooks.waitFor("v1.booking.cancelled");
  await world.populate(2);
  await world.clock.advance("PT1H");
  await world.remove();
  return { token: token !== "", cancelled: body.payload.booking_id };
}

const here = await startSandbox({ url: null });
const inProcess = await use(here);
const socketsInProcess = sockets;
const there = await startSandbox({ url: here.url, controlToken: here.controlToken });
const elsewhere = await use(there);
await there.close();
await here.close();
const subscribed = await startSandbox({ url: null, webhookUrl });
await subscribed.act("cancelBooking", { booking_id: "bkg-evening" });
await subscribed.clock.advance("PT1M");
const [message] = await subscribed.webhooks.all("v1.booking.cancelled");
await subscribed.close();
receiver.close();
const [{ state, attempts }] = message.deliveries;
process.stdout.write(
  JSON.stringify({
    inProcess,
    socketsInProcess,
    elsewhere,
    delivery: { state, error: attempts[0].error, isReceived: deliveries > 0 },
  }),
);
