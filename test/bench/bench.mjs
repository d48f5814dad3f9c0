// npm run bench: measures the goals of docs/performance.md beside bare Express and prints one table. `--readme` writes the table into
// that page, `--quick` takes fewer rounds, `--only GROUP` (repeatable) measures some groups and keeps the other figures of dist/bench.json.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildBundle } from "../../src/build/bundle.mjs";
import { measureColdStart } from "./cold.mjs";
import { measureCommands } from "./commands.mjs";
import { measureLibrary } from "./library.mjs";
import { installPeers } from "./peers.mjs";
import { createReport } from "./report.mjs";
import { measureRequests } from "./requests.mjs";
import { measureSizes } from "./sizes.mjs";
import { measureWebhooks } from "./webhooks.mjs";

const GROUPS = {
  cold: measureColdStart,
  library: measureLibrary,
  commands: measureCommands,
  requests: measureRequests,
  sizes: measureSizes,
  webhooks: measureWebhooks,
};

const root = join(import.meta.dirname, "../..");
const resultFile = join(root, "dist/bench.json");
const flag = { type: "boolean", default: false };
const { values: options } = parseArgs({
  options: { quick: flag, readme: flag, only: { type: "string", multiple: true, default: [] } },
});
const unknown = options.only.find((name) => !(name in GROUPS));
if (unknown) {
  process.stderr.write(`Unknown group "${unknown}". Use one of: ${Object.keys(GROUPS).join(", ")}.\n`);
  process.exit(2);
}

function readEarlierGroups() {
  if (options.only.length === 0 || !existsSync(resultFile)) return {};
  const { node, quick, groups } = JSON.parse(readFileSync(resultFile, "utf8"));
  return node === process.version && quick === options.quick ? groups : {};
}

function writeIntoDocs(table) {
  const file = join(root, "docs/performance.md");
  const section = /<!-- bench -->[\s\S]*<!-- \/bench -->/;
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(section, () => `<!-- bench -->\n${table}<!-- /bench -->`),
  );
}

await buildBundle();
const { groups, beginGroup, addRow, formatTable } = createReport(readEarlierGroups());
const [rounds, seconds, starts] = options.quick ? [1, 1, 3] : [5, 3, 9];
const bench = {
  quick: options.quick,
  root,
  bin: join(root, "bin/sandbox.js"),
  peers: installPeers(),
  rounds,
  seconds,
  starts,
  addRow,
};
for (const [name, measure] of Object.entries(GROUPS)) {
  if (options.only.length > 0 && !options.only.includes(name)) continue;
  beginGroup(name);
  await measure(bench);
  const result = { node: process.version, quick: options.quick, groups };
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
}
const table = formatTable(options.quick, Object.keys(GROUPS));
process.stdout.write(`${table}\n`);
if (options.readme) writeIntoDocs(table);
process.exit();
