// Plays each shipped fixture once, at its anchor time, with the new library, and saves the world in dist/played/. A start at that time
// loads the saved world. The file name contains a hash of the inputs, so that a changed fixture is played again.
import { mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root, say, writeAtomically } from "./step.mjs";

const dist = join(root, "dist");
/** The anchor time of the shipped fixtures, 11:00 in Copenhagen. The dates of a fixture do not shift at its anchor time. */
const ANCHOR = "2030-06-01T09:00:00.000Z";

export async function playFixtures() {
  const { startSandbox } = createRequire(import.meta.url)(join(dist, "index.cjs"));
  mkdirSync(join(dist, "played"), { recursive: true });
  const names = readdirSync(join(root, "fixtures"));
  for (const name of names) {
    const sandbox = await startSandbox({ fixture: name, clock: ANCHOR });
    const { collections } = await (await fetch(`${sandbox.controlUrl}/state`)).json();
    await sandbox.close();
    writeAtomically(
      join(dist, "played", `${name}-${collections.identity[0].made_of}.json`),
      JSON.stringify(collections),
    );
  }
  say(`played: ${names.join(", ")}`);
}
