// A world too large for one text goes out in pieces, as it was at one moment; and what is too large to come in is told so.
import { createHash } from "node:crypto";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createControl } from "../../../src/client/create-control.ts";
import { exportWorld } from "../../../src/engine/app/world-document.ts";
import { runHere } from "../../cli/in-process.ts";
import { startLocalServer } from "../../local-server.ts";
import { shareSandbox } from "../../sandbox.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { book } from "../operations/kit.ts";

const sandbox = shareSandbox();

const TOO_LARGE = /larger than 64 MiB.*copy its data file.*--data/;

it("the parts of an export show the world at the time of the request, whatever happens later", async () => {
  const made = await sandbox.world();
  const whole = (await made.control("get", "state")).text;
  const pieces = exportWorld(sandbox.running.application.worlds.get(made.id)!, 2000)[Symbol.iterator]();
  let text = pieces.next().value as string;
  await book(made, "evt-evening");
  let count = 1;
  for (const piece of { [Symbol.iterator]: () => pieces }) {
    // A record is never cut, so a piece is longer by one of them at most.
    expect(piece.length).toBeLessThan(20_000);
    text += piece;
    count += 1;
  }
  expect(text).toBe(whole);
  expect(count).toBeGreaterThan(50);
  const { checksum, collections } = JSON.parse(text) as { checksum: string; collections: object };
  expect(checksum).toBe(createHash("sha256").update(JSON.stringify(collections)).digest("hex"));
  expect((await made.control("get", "state")).text).not.toBe(whole);
});

it("a document is sent as it is in its file, which may exceed the maximum string length", async () => {
  const { id, control } = await sandbox.world();
  const { text } = await control("get", "state");
  const { response } = await createControl({ url: sandbox.url }, id).PUT("/_sandbox/state", {
    body: Buffer.from(text.replace("{", "{ ")) as never,
  });
  expect([response.status, (await control("get", "state")).text]).toEqual([200, text]);
});

// That unpacking ends at a limit is tried in the usual run too, with the smaller one of the service's own requests.
it.runIf(process.env.SANDBOX_LONG)("a document over the limit is rejected with an alternative", async () => {
  // Without the limit of time of the sandbox's own server: a busy machine unpacks for longer.
  const server = await startLocalServer(sandbox.running.router);
  const answer = await fetch(`${server.url}/_sandbox/state`, {
    method: "PUT",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    // Members of a gzip file follow one another.
    body: Buffer.concat(new Array(65).fill(gzipSync(Buffer.alloc(1024 * 1024)))),
  });
  expect(answer.status).toBe(413);
  expect(await answer.text()).toMatch(TOO_LARGE);
  server.close();
});

it("a file over the limit is rejected before it is read", async () => {
  const file = join(makeTempFolder(), "large.json");
  writeFileSync(file, "{");
  truncateSync(file, 70 * 1024 * 1024);
  const { code, stderr } = await runHere(["world", "import", file]);
  expect(code).toBe(2);
  expect(stderr).toMatch(TOO_LARGE);
});
