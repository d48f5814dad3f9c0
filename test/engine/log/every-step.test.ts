// A process that is killed before any one of its steps on its files leaves what the next start reads without a warning, with all that it had
// acknowledged: a data file that is new, closed, or left by a kill, which is compacted and closed.
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { extent } from "../../extent.ts";
import { bundleStore, newFile, openWorld, readFile, readOutput, runChild, things } from "./kit.ts";

const GATE = fileURLToPath(new URL("kill-gate.cjs", import.meta.url));
let bundle = "";

beforeAll(() => {
  bundle = bundleStore();
});

const STARTS: Record<string, (file: string) => Promise<void> | void> = {
  nothing: () => {},
  "a file that was closed": async (file) => {
    const { add, close } = await openWorld(file);
    add("old");
    await close();
  },
  "one that was killed while it wrote an entry": async (file) => {
    const { add, close } = await openWorld(file);
    add("old");
    await close(false);
    writeFileSync(`${file}.log`, `${readFileSync(`${file}.log`, "utf8")}{"crc":"12345678","se`);
  },
};

it.concurrent.each(Object.entries(STARTS))(
  "Killed before each step, from %s",
  { timeout: 300_000 },
  async (what, make) => {
    const template = newFile();
    await make(template);
    const old = what === "nothing" ? [] : ["old"];
    for (let step = 1, ended = false; !ended; step += extent(5, 2, 1)) {
      const file = newFile();
      cpSync(dirname(template), dirname(file), { recursive: true });
      const child = runChild(bundle, "steps", file, { KILL_AT: String(step), NODE_OPTIONS: `--require=${GATE}` });
      const [printed, [code]] = await Promise.all([readOutput(child), once(child, "exit")]);
      // Null where it was killed.
      expect([null, 0]).toContain(code);
      ended = code === 0;
      const { state, warnings } = await readFile(file);
      const ids = things(state);
      // One more may be there than was acknowledged.
      const acknowledged = [...old, ...printed];
      expect([step, acknowledged.filter((id) => !ids.includes(id))]).toEqual([step, []]);
      expect([step, ids.length - acknowledged.length <= 1]).toEqual([step, true]);
      if (!what.includes("while it wrote")) expect([step, warnings]).toEqual([step, []]);
      expect(await readFile(file)).toMatchObject({ state, warnings: [] });
    }
  },
);
