// A process that is killed before any one of its steps leaves what the next start takes up without a word, and with all that it had
// acknowledged: a store that is made, closed, taken up after a kill, compacted as a whole or in part, or brought from format 1 to ours.
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore, type Row } from "../../../src/engine/world/store/store.ts";
import { extent } from "../../extent.ts";
import { bundleStore, freshFolder, held, removeFolders, runChild, sayings } from "./store-kit.ts";

const GATE = fileURLToPath(new URL("kill-gate.cjs", import.meta.url));
let bundle = "";

beforeAll(() => {
  bundle = bundleStore();
});
afterAll(removeFolders);

const add = (id: string) => ({ commit: "w", changes: [["things", id, { id }] as const] });

const large = { id: "large", pad: "x".repeat(1000) };

const BEFORE: Record<string, (file: string) => Promise<void> | void> = {
  nothing: () => {},
  "a closed store": async (file) => {
    const { store } = await openStore(file);
    store.append(add("old"));
    await store.close(() => [["w", [["things", [{ id: "old" }]]]]]);
  },
  "a large world beside, so that only the small one is written": async (file) => {
    const { store } = await openStore(file);
    store.append(add("old"));
    const worlds = [
      ["large", [["things", [large]]]],
      ["w", [["things", [{ id: "old" }]]]],
    ] as const;
    store.append({ load: "large", rows: [["things", "large", large]] });
    await store.close(() => worlds);
  },
  "one that was killed while it wrote a record": async (file) => {
    const { store } = await openStore(file);
    store.append(add("old"));
    await store.close();
    const journal = `${file}.journal.1`;
    writeFileSync(journal, readFileSync(journal, "latin1").replace(/\.[0-9a-f]{8}$/, '12345678 3 {"com'), "latin1");
  },
  "one that was killed with a log of more than 64 MB, which is continued in the next": async (file) => {
    const { store } = await openStore(file);
    store.append(add("old"));
    store.append({ load: "long", rows: [["things", "long", { id: "long", pad: "x".repeat(65 << 20) } as Row]] });
    await store.close();
  },
  "a file of format 1": (file) => {
    const sum = (text: string) => crc32(text).toString(16).padStart(8, "0");
    const text = '{"format":1,"generation":3,"worlds":{\n';
    writeFileSync(file, `${text}},"checksum":"${sum(text)}"}\n`);
    const line = JSON.stringify(add("old"));
    writeFileSync(`${file}.journal.3`, `${sum(line)} ${line}\n`);
  },
};

/** From all of them with SANDBOX_LONG, but for the longest where it is brief; otherwise from those with most steps. */
const starts = Object.entries(BEFORE).filter(([what]) => extent(/^nothing|^a large/, /^(?!.*64 MB)/, /./).test(what));

it.concurrent.each(starts)("Killed before each step, from %s", { timeout: 300_000 }, async (what, make) => {
  const template = join(freshFolder(), "data.json");
  await make(template);
  const old = what === "nothing" ? [] : ["old"];
  const tornIn = what.includes("while it wrote");
  for (let step = 1, ended = false; !ended; step += extent(12, 5, 1)) {
    const file = join(freshFolder(), "data.json");
    cpSync(dirname(template), dirname(file), { recursive: true });
    const child = runChild(bundle, "steps", file, { KILL_AT: String(step), NODE_OPTIONS: `--require=${GATE}` });
    const [said, [code]] = await Promise.all([sayings(child), once(child, "exit")]);
    ended = code === 0;
    const { kept, warnings } = await held(file);
    const rows = kept?.find(([world]) => world === "w")?.[1][0]?.[1];
    const ids = rows?.map(({ id }) => id) ?? [];
    if (what.startsWith("a large")) expect(kept?.[0]).toEqual(["large", [["things", [large]]]]);
    // One more may be there than was acknowledged.
    expect([step, ids.slice(0, old.length + said.length)]).toEqual([step, [...old, ...said]]);
    expect(ids.length - old.length - said.length).toBeLessThanOrEqual(1);
    if (!tornIn) expect([step, warnings]).toEqual([step, []]);
    expect(await held(file)).toEqual({ kept, warnings: [] });
  }
});
