// A message whose receiver did not answer kept a finished test process alive until the attempt timed out, 15 s later.
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startProgram } from "../cli/run-sandbox.ts";

const library = fileURLToPath(new URL("../../dist/index.cjs", import.meta.url));

/** It has nothing more to do once the gate has closed its connection. */
const PROGRAM = `
  const { once } = require("node:events");
  const { connect } = require("node:net");
  const { startSandbox } = require(${JSON.stringify(library)});
  startSandbox({ url: null, webhookUrl: process.env.RECEIVER }).then(async (sandbox) => {
    await sandbox.act("cancelBooking", { booking_id: "bkg-evening" });
    await once(connect(Number(process.env.GATE), "127.0.0.1").resume(), "close");
    process.stdout.write("done");
  });
`;

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An attempt takes 15 s at most; a process that ends by itself takes a moment, and more on a busy machine. */
const SOON_MS = 10_000;

it("A process ends while a receiver has not answered", async () => {
  const open: Socket[] = [];
  const gate = createServer((socket) => void open.push(socket));
  const receiver = createServer((socket) => void open.push(socket.on("error", () => undefined)));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
  });
  const [gatePort, receiverPort] = [await listen(gate), await listen(receiver)];
  const program = startProgram(process.execPath, ["-e", PROGRAM], {
    RECEIVER: `http://127.0.0.1:${receiverPort}/hook`,
    GATE: String(gatePort),
  });
  const [[atGate], [delivery]] = await Promise.all([once(gate, "connection"), once(receiver, "connection")]);
  expect(String(await once(delivery as Socket, "data"))).toMatch(/^POST \/hook HTTP\/1\.1\r\n/);
  const start = performance.now();
  (atGate as Socket).end();
  expect(await program.ended).toEqual({ code: 0, stdout: "done", stderr: "" });
  expect(performance.now() - start).toBeLessThan(SOON_MS);
});
