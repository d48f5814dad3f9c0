// Checks every program of corpus.yaml: a correct one must not fail, and the mistake of each other one must be found by its check, and by
// no other. SANDBOX_CORPUS=2030-06-30 checks the six programs of that day instead of all.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createProbe, withRunFolders } from "../../src/cli/check-runs.ts";
import { createLauncher } from "../../src/cli/launch.ts";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { checks, judge, type Result } from "../../src/verdict/index.ts";

interface Program {
  file: string;
  language: string;
  style: string;
  /** The sandbox subscribes the program, which listens on PORT. */
  receiver?: true;
  /** The file in SANDBOX_RUN_FOLDER in which the program keeps its state as JSON. */
  probe?: string;
  /** The check that must find the mistake. */
  finds?: string;
  /** Checks that the same mistake may fail as well. */
  alsoFinds?: string[];
}

interface Corpus {
  languages: Record<string, { command: string[]; test: string[] }>;
  correct: Program[];
  mistaken: Program[];
}

const folder = fileURLToPath(new URL(".", import.meta.url));
const corpus = parse(readFileSync(join(folder, "corpus.yaml"), "utf8")) as Corpus;
const all = [
  ...corpus.correct.map((each) => ({ ...each, path: `correct/${each.file}` })),
  ...corpus.mistaken.map((each) => ({ ...each, path: `mistaken/${each.file}` })),
];

const PROGRAMS_A_DAY = 6;
/** Prime, so that the days take all programs in turn, and one day takes correct and mistaken ones. */
const STRIDE = 31;
const DAY_MS = 86_400_000;
/** A drill takes up to 20 s by itself, and a busy machine longer. */
const RUN_LIMIT_MS = 60_000;
const PROGRAM_LIMIT_MS = 1_800_000;
const JOBS = 3;

const { SANDBOX_CORPUS: day = "" } = process.env;
const selected = /^\d{4}-\d\d-\d\d$/.test(day) ? selectForDay(Date.parse(day) / DAY_MS) : all;

function selectForDay(number: number) {
  const positions = Array.from({ length: PROGRAMS_A_DAY }, (_, at) => (number * PROGRAMS_A_DAY + at) * STRIDE);
  return positions.map((position) => all[position % all.length] as (typeof all)[number]);
}

function findMissing(language: string): string {
  const [command = "", ...args] = corpus.languages[language]?.test ?? [];
  const isInstalled = spawnSync(command, args).status === 0;
  return isInstalled ? "" : `, SKIPPED: \`${[command, ...args].join(" ")}\` fails here`;
}
const missing = new Map(Object.keys(corpus.languages).map((language) => [language, findMissing(language)]));

/** What the checks report of a program, one line for each. */
async function check({ path, language, receiver, probe }: (typeof all)[number]): Promise<string[]> {
  const command = [...(corpus.languages[language]?.command ?? []), join(folder, path)];
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { results, no_verdict } = await withRunFolders((freshFolder) =>
    judge({
      command,
      checks,
      seed: "7",
      jobs: JOBS,
      limitMs: RUN_LIMIT_MS,
      freshFolder,
      webhookUrl: receiver && "http://127.0.0.1:{port}/hooks",
      launch: createLauncher(command, environment),
      probe: createProbe(probe && `cat "$SANDBOX_RUN_FOLDER/${probe}"`, environment),
      start: (options) => startOwnSandbox({ clock: "anchor", ...options }),
    }),
  );
  if (no_verdict) throw new Error(`${no_verdict.code}: ${no_verdict.says}\n${no_verdict.output ?? ""}`);
  return results.map(formatResult);
}

const formatResult = ({ outcome, id, says, evidence }: Result): string =>
  [`${outcome} ${id}: ${says}`, ...evidence.map((each) => `  ${each.id} ${each.says}`)].join("\n");

const select = (results: readonly string[], outcomes: RegExp) => results.filter((each) => outcomes.test(each));

describe("The corpus", () => {
  it("has a row for every program, and a program for every row", () => {
    const files = ["correct", "mistaken"].flatMap((kind) =>
      readdirSync(join(folder, kind)).map((file) => `${kind}/${file}`),
    );
    expect(all.map(({ path }) => path).sort()).toEqual(files.sort());
  });

  for (const program of selected) {
    const { path, language, style, finds, alsoFinds = [] } = program;
    const reason = missing.get(language) ?? "";
    const title = finds ? `${finds} finds the mistake` : "no check fails";
    it.skipIf(reason !== "")(
      `${title}: ${path} (${style}, ${language})${reason}`,
      async () => {
        const results = await check(program);
        const isExpected = (line: string) => [finds, ...alsoFinds].some((id) => id && line.startsWith(`fail ${id}:`));
        expect(select(results, /^fail/).filter((line) => !isExpected(line))).toEqual([]);
        if (finds) expect(select(results, new RegExp(`^(fail|warn) ${finds}:`)), results.join("\n")).toHaveLength(1);
      },
      PROGRAM_LIMIT_MS,
    );
  }
});
