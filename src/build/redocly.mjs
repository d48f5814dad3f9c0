// Joins the files of an API description into one document, and lints documents by the rules of .redocly.yaml, both with Redocly. As a
// program, it lints the documents in its arguments.
import { join } from "node:path";
import redocly from "@redocly/openapi-core";
import { root, runIfMain } from "./step.mjs";

/** Joins the files of a document. References remain references. Throws an error that names each file that can't be read. */
export async function joinFiles(source) {
  const { bundle, problems } = await redocly.bundle({
    ref: join(root, source),
    config: await redocly.createConfig({}),
  });
  if (problems.length === 0) return JSON.parse(JSON.stringify(bundle.parsed));
  throw new Error(`${source} can't be joined into one document:\n${problems.map(formatProblem).join("\n")}`);
}

const formatProblem = ({ message, location: [at] }) => `  ${at.source.absoluteRef}${at.pointer ?? ""}: ${message}`;

/** Prints each problem with its lines. Returns the number of problems. */
async function lintDocuments(sources) {
  const config = await redocly.loadConfig({ configPath: join(root, ".redocly.yaml") });
  const problems = [];
  for (const source of sources) problems.push(...(await redocly.lint({ ref: join(root, source), config })));
  redocly.formatProblems(problems, { totals: redocly.getTotals(problems), version: "", cwd: root });
  return problems.length;
}

await runIfMain(import.meta.filename, async () => {
  process.exitCode = (await lintDocuments(process.argv.slice(2))) > 0 ? 1 : 0;
});
