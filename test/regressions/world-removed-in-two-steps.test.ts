// Removing a world with its snapshots, and saving a snapshot, were two records each. A kill in between left the snapshots of the removed
// world to the next one of that id, or a snapshot that did not know when it was saved.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ask } from "../ask.ts";
import { crashed, readFile } from "../engine/log/kit.ts";
import { extent } from "../extent.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folder = makeTempFolder();
const file = join(folder, "data.json");

const journal = (of: string) => `${of}.log`;
const isSaved = expect.objectContaining({ saved: { wall: expect.any(String), now: expect.any(String) } });

const OF_W1 = { "sandbox-world": "w1" };
async function control({ url }: TestSandbox, method: string, path: string, body?: object, status = 201) {
  const answer = await ask(method, `${url}/_sandbox${path}`, body ? {} : OF_W1, body);
  expect(answer.status, answer.text).toBe(status);
  return answer;
}

/** Every one by hand; otherwise some, and those around the end of each record. */
const APART = extent(17, 7, 1);
function lengths(from: number, whole: Buffer): number[] {
  const all = Array.from({ length: whole.length - from + 1 }, (_, index) => from + index);
  const isEnd = (length: number) => whole[length - 1] === 10 || whole[length] === 10 || length === whole.length;
  return all.filter((length) => length % APART === 0 || isEnd(length));
}

it("A kill at any byte leaves all of it or nothing", { timeout: 120_000 }, async () => {
  const sandbox = await openSandbox({ data: file, fixture: "empty" });
  // The first snapshot holds none of what follows.
  await expect.poll(() => readFileSync(file, "utf8")).toContain('"default"');
  await control(sandbox, "post", "/worlds", { id: "w1", fixture: "empty" });
  for (const name of ["one", "two"]) await control(sandbox, "put", `/snapshots/${name}`, undefined, 200);
  await control(sandbox, "delete", "/worlds/w1", undefined, 204);
  const copy = crashed(folder);
  await sandbox.close();
  const whole = readFileSync(journal(copy));
  // Not the length before the requests, since the first snapshot of a new file rewrites the log.
  const from = whole.lastIndexOf("\n", whole.indexOf("w1@one")) + 1;
  const seen = new Set<string>();
  for (const length of lengths(from, whole)) {
    writeFileSync(journal(copy), whole.subarray(0, length));
    const { worlds } = await readFile(crashed(dirname(copy)));
    const others = worlds.filter(([name]) => name !== "default");
    seen.add(others.map(([name]) => name).join(" "));
    for (const [name, { identity }] of others.filter(([each]) => each.includes("@")))
      expect([length, name, identity.get("identity")]).toEqual([length, name, isSaved]);
  }
  expect([...seen]).toEqual(["w1", "w1 w1@one", "w1 w1@one w1@two", ""]);
});

it("A snapshot that such a kill has left is dropped, so that no other world finds it", async () => {
  const data = join(folder, "left.json");
  const sandbox = await openSandbox({ data, fixture: "empty" });
  await sandbox.close();
  const { checksum: _, ...document } = JSON.parse(readFileSync(data, "utf8"));
  document.worlds["w1@old"] = document.worlds.default;
  writeFileSync(data, JSON.stringify(document));
  const again = await openSandbox({ data, fixture: "empty" });
  await control(again, "post", "/worlds", { id: "w1", fixture: "empty" });
  const { body } = await control(again, "get", "/snapshots", undefined, 200);
  await again.close();
  expect(body.items).toEqual([]);
});
