// sandbox snapshot: named copies of a world, to come back to.
import type { Schemas } from "../../client/control.ts";
import type { Call } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { holds, loadedText } from "../loaded.ts";
import { columns } from "../terminal/terminal.ts";

export const snapshot = entryOf("snapshot", {
  save: { show: ({ name, counts, now }: Schemas["Snapshot"]) => [`Saved ${name}: ${holds(counts)}, at ${now}.`] },
  load: { show: (loaded: Schemas["WorldLoaded"]) => [loadedText("restored", loaded)] },
  list: { show: listed },
});

function listed({ items }: Schemas["SnapshotList"], { terminal }: Call): string[] {
  return columns(items.map(({ name, now, counts }) => [terminal.paint("bold", name), `at ${now}`, holds(counts)]));
}
