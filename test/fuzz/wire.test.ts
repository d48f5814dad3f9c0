// Hostile bytes on the wire: request lines, headers and chunked bodies that are damaged in many small ways. The server answers with HTTP
// or closes the connection, never with a failure of its own, and serves the next one.
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { extent } from "../extent.ts";

const RUNS = extent(700, 300, 700) * Number(process.env.SANDBOX_FUZZ_MINUTES ?? 1);
const SEEDS = [1, 2, 3];
const AT_ONCE = 50;
const PATIENCE_MS = 20_000;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "empty", strictResponses: true });
});
afterAll(() => sandbox.close());

const CRLF = "\r\n";
const LINES = [
  "GET /v1/me HTTP/1.1",
  "POST /v1/bookings HTTP/1.1",
  "POST /oauth2/token HTTP/1.1",
  "PUT /_sandbox/state HTTP/1.1",
  "HEAD /healthz HTTP/1.1",
];
const HEADERS = [
  "Host: 127.0.0.1",
  "Content-Type: application/json",
  "Transfer-Encoding: chunked",
  "Content-Length: 5",
  "Connection: keep-alive",
  "Expect: 100-continue",
  "Accept-Language: en",
  "Authorization: Bearer x",
  "Upgrade: websocket",
];
const BODIES = [
  "",
  "{}",
  '5\r\n{"a":\r\n0\r\n\r\n',
  "ffffffff\r\nx",
  "-1\r\n",
  "2;x=y\r\n{}\r\n0\r\nTrailer: x\r\n\r\n",
  "0\r\n\r\nGET /v1/me HTTP/1.1\r\n\r\n",
  "\u0000".repeat(64),
];
const SPLINTERS = [
  "\r",
  "\n",
  "\r\n\r\n",
  "\u0000",
  ":",
  " ",
  "\t",
  "\u00ff",
  "HTTP/1.1",
  "chunked, chunked",
  ",",
  "%",
  "%00",
  "../",
  "a".repeat(9000),
  ";",
];

const request = fc
  .tuple(fc.constantFrom(...LINES), fc.array(fc.constantFrom(...HEADERS), { maxLength: 6 }), fc.constantFrom(...BODIES))
  .map(([line, headers, body]) => `${[line, ...headers].join(CRLF)}${CRLF}${CRLF}${body}`);
const damage = fc.tuple(fc.constantFrom("insert", "cut", "drop", "double"), fc.nat(400), fc.constantFrom(...SPLINTERS));
const damaged = fc.tuple(request, fc.array(damage, { maxLength: 4 })).map(([text, all]) =>
  all.reduce((retained, [how, place, splinter]) => {
    const at = place % (retained.length + 1);
    if (how === "insert") return retained.slice(0, at) + splinter + retained.slice(at);
    if (how === "cut") return retained.slice(0, at);
    if (how === "drop") return retained.slice(0, at) + retained.slice(at + 1 + (place % 7));
    return retained.slice(0, at) + retained;
  }, text),
);

/** All that comes until the connection ends; the asking half is closed at once. */
function sent(bytes: string): Promise<string> {
  const { hostname, port } = new URL(sandbox.url);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.end(Buffer.from(bytes, "latin1")));
    socket.setEncoding("latin1").setTimeout(PATIENCE_MS, () => {
      received = `the connection stayed open; so far ${received}`;
      socket.destroy();
    });
    socket.on("data", (text: string) => (received += text));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

it.each(SEEDS)(
  "under seed %i every damaged request gets HTTP or no response",
  { timeout: RUNS * 200 + 60_000 },
  async (seed) => {
    const texts = fc.sample(damaged, { seed, numRuns: RUNS });
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const some = texts.slice(at, at + AT_ONCE);
      const answers = await Promise.all(some.map(sent));
      const odd = answers.flatMap((answer, n) =>
        /^(HTTP\/1\.1 [1-4]\d\d [\s\S]*)?$/.test(answer) ? [] : [{ sent: some[n], answer }],
      );
      expect(odd).toEqual([]);
    }
    expect((await fetch(`${sandbox.url}/healthz`)).status).toBe(200);
  },
);
