// A process that was held up for longer than a client may be silent closed the connections whose requests had come meanwhile, unread: their
// clients got ECONNRESET. It happened on a busy machine, and would in a debugger.
import { once } from "node:events";
import { stat } from "node:fs";
import { connect } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { serve } from "../../src/engine/http/serve.ts";

const SILENT_MS = 100;
const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

/** The whole process. */
const holdUp = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * SILENT_MS);

it("A request that arrives while the process is busy gets a response, and a silent client is disconnected", async () => {
  const serving = await serve((_, response) => void response.end("here"), 0, "127.0.0.1", SILENT_MS);
  const socket = connect(Number(new URL(serving.url).port), "127.0.0.1");
  await once(socket, "connect");
  for (let turns = 0; turns < 3; turns++) await setImmediate();
  socket.write(REQUEST);
  holdUp();
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [\s\S]*here$/);
  socket.destroy();
  const silent = connect(Number(new URL(serving.url).port), "127.0.0.1");
  const closed = once(silent.resume(), "close");
  expect(await Promise.race([closed.then(() => "cut off"), setTimeout(30_000, "still there")])).toBe("cut off");
  await serving.close();
});

it("A request of a client in the same process gets a response after the process was busy", async () => {
  const serving = await serve((_, response) => void response.end("here"), 0, "127.0.0.1", SILENT_MS);
  const socket = connect(Number(new URL(serving.url).port), "127.0.0.1");
  await once(socket, "connect");
  for (let turns = 0; turns < 3; turns++) await setImmediate();
  // After the timers of the first turn.
  stat(".", () => socket.write(REQUEST));
  holdUp();
  const [answer] = await Promise.race([once(socket, "data"), once(socket, "close")]);
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [\s\S]*here$/);
  socket.destroy();
  await serving.close();
});
