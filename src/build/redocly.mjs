// What Redocly does: joins the files of a document into one, and lints documents by the rules of .redocly.yaml. Run as a program, it lints
// those that are named.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import redocly from "@redocly/openapi-core";
import { root } from "./changed.mjs";

/** One document, with the references kept inside it. Throws a text with each place that cannot be read. */
export async function joined(source) {
  const { bundle, problems } = await redocly.bundle({
    ref: join(root, source),
    config: await redocly.createConfig({}),
  });
  if (problems.length === 0) return JSON.parse(JSON.stringify(bundle.parsed));
  throw new Error(`${source} cannot be read as one document:\n${problems.map(worded).join("\n")}`);
}

const worded = ({ message, location: [at] }) => `  ${at.source.absoluteRef}${at.pointer ?? ""}: ${message}`;

/** Prints what is against the rules, with the lines, and returns how much there is. */
async function linted(sources) {
  const config = await redocly.loadConfig({ configPath: join(root, ".redocly.yaml") });
  const problems = [];
  for (const source of sources) problems.push(...(await redocly.lint({ ref: join(root, source), config })));
  redocly.formatProblems(problems, { totals: redocly.getTotals(problems), version: "", cwd: root });
  return problems.length;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  process.exitCode = (await linted(process.argv.slice(2))) > 0 ? 1 : 0;
