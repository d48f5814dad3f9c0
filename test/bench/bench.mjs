// npm run bench: the sandbox beside bare Express answering constant JSON, and beside prism-cli mocking our own specification, in one
// run, in turns, medians. Prints one table, writes it as dist/bench.json, and with --readme the rows with a goal into docs/performance.md. --quick for a first look,
// --only <group> (repeatable) to measure a part anew, --minutes for how long the mixed load takes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildBundle } from "../../src/build/bundle.mjs";
import { clock } from "./clock.mjs";
import { cold } from "./cold.mjs";
import { creates } from "./creates.mjs";
import { crowd } from "./crowd.mjs";
import { hosted } from "./hosted.mjs";
import { library } from "./library.mjs";
import { memory } from "./memory.mjs";
import { mixed } from "./mixed.mjs";
import { nodes } from "./nodes.mjs";
import { peers } from "./peers.mjs";
import { makeReport } from "./report.mjs";
import { requests } from "./requests.mjs";
import { files, sizes } from "./sizes.mjs";
import { stalls } from "./stalls.mjs";
import { webhooks } from "./webhooks.mjs";

const GROUPS = {
  cold,
  library,
  webhooks,
  clock,
  crowd,
  memory,
  mixed,
  requests,
  creates,
  sizes,
  files,
  hosted,
  nodes,
  stalls,
  install,
};

const root = join(import.meta.dirname, "../..");
const results = join(root, "dist/bench.json");
const flag = { type: "boolean", default: false };
const { values: given } = parseArgs({
  options: {
    quick: flag,
    readme: flag,
    minutes: { type: "string", default: "2" },
    only: { type: "string", multiple: true, default: [] },
  },
});
const unknown = given.only.find((name) => !(name in GROUPS));
if (unknown) {
  process.stderr.write(`There is no group ${unknown}. There are: ${Object.keys(GROUPS).join(", ")}.\n`);
  process.exit(2);
}

/** What a user installs: the package and nothing else. */
function install({ row }) {
  const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--silent", "--ignore-scripts"], { cwd: root });
  const [{ unpackedSize }] = JSON.parse(String(text).replace(/^[^[]*/, ""));
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [size, count] = [unpackedSize / 1e6, 1 + Object.keys(dependencies).length];
  row("what a user installs", { ours: size, unit: " MB", goals: [["", size, "≤", 25, " MB"]] });
  row("packages that a user installs", { ours: count, goals: [["", count, "≤", 80]] });
}

function writeSummary(text) {
  const file = join(root, "docs/performance.md");
  const part = /<!-- bench -->[\s\S]*<!-- \/bench -->/;
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(part, () => `<!-- bench -->\n${text}<!-- /bench -->`),
  );
}

/** What an earlier run of the same kind found, for the groups that are not measured now: each was measured beside its own peers. */
function foundBefore() {
  if (given.only.length === 0 || !existsSync(results)) return {};
  const { node, quick, groups } = JSON.parse(readFileSync(results, "utf8"));
  return node === process.version && quick === given.quick ? groups : {};
}

await buildBundle();
const { groups, begin, row, table, summary } = makeReport(foundBefore());
const [rounds, seconds, colds] = given.quick ? [1, 1, 3] : [5, 3, 9];
const bench = { ...given, root, bin: join(root, "bin/sandbox.js"), peers: peers(), rounds, seconds, colds, row };
const order = Object.keys(GROUPS);
for (const name of order) {
  if (given.only.length > 0 && !given.only.includes(name)) continue;
  begin(name);
  await GROUPS[name](bench);
  const { quick } = given;
  writeFileSync(results, `${JSON.stringify({ node: process.version, quick, groups }, null, 2)}\n`);
}
process.stdout.write(`${table(given, order)}\n`);
if (given.readme) writeSummary(summary(given, order));
process.exit();
