// The workflows that the documents give, step by step: each line that GitHub would run is run by a shell in a repository of a program, with
// what GitHub sets. `npx --no-install sandbox` is this sandbox, `gh` notes what it was called with, and `npm test`, which a verdict runs again and again,
// starts the program without npm.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { bin } from "../cli/run-sandbox.ts";
import { codeOf } from "../docs/markdown.ts";
import { makeTempFolder } from "../temp-folder.ts";

interface Step {
  run?: string;
  uses?: string;
  env?: Record<string, string>;
}

const folder = makeTempFolder();
const repository = join(folder, "shop");
const programs = join(folder, "bin");
const git = (...words: string[]) => execFileSync("git", words, { cwd: repository, encoding: "utf8" }).trim();

function put(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

beforeAll(() => {
  mkdirSync(programs);
  put(
    join(programs, "npx"),
    `#!/bin/sh\n[ "$1 $2" = "--no-install sandbox" ] || exit 64\nshift 2\nexec "${process.execPath}" "${bin}" "$@"\n`,
  );
  const start = "exec node app/careful/shop.mjs";
  const npm = `PATH="${process.env.PATH}" exec npm "$@"`;
  put(join(programs, "npm"), `#!/bin/sh\n[ "$*" = test ] && ${start}\n${npm}\n`);
  put(join(programs, "gh"), `#!/bin/sh\necho "$@" >> "${folder}/gh"\n`);
  cpSync("test/verdict/programs", join(repository, "app"), { recursive: true });
  const about = { name: "shop", version: "1.2.0", scripts: { test: start } };
  writeFileSync(join(repository, "package.json"), JSON.stringify(about));
  const lock = {
    ...about,
    scripts: undefined,
    lockfileVersion: 3,
    packages: { "": { name: "shop", version: "1.2.0" } },
  };
  writeFileSync(join(repository, "package-lock.json"), JSON.stringify(lock));
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=shop", "-c", "user.email=shop@example.com", "commit", "-qm", "A shop");
});

/** The lines that were run, with what they ended with. */
function carriedOut(steps: readonly Step[]): [line: string, code: number | null, output: string][] {
  const { NODE_OPTIONS: _, VITEST: __, ...inherited } = process.env;
  return steps.flatMap(({ run, env = {} }) => {
    if (run === undefined) return [];
    const view = {
      ...inherited,
      ...env,
      PATH: `${programs}${delimiter}${process.env.PATH}`,
      CI: "true",
      GITHUB_SHA: git("rev-parse", "HEAD"),
      GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    };
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", run], {
      cwd: repository,
      env: view,
      encoding: "utf8" as const,
    });
    return [[run, status, `${stdout}${stderr}`.slice(-2000)]];
  });
}

const stepsIn = (document: string, job: string): Step[] => parse(codeOf(document, "workflow")).jobs[job].steps;
const isGood = ([, code]: ReturnType<typeof carriedOut>[number]) => code === 0;

it("A verdict in a pull request is in the summary and in one comment", { timeout: 600_000 }, () => {
  const ran = carriedOut(stepsIn("docs/checks.md", "verdict"));
  expect(ran.filter((each) => !isGood(each))).toEqual([]);
  expect(ran.map(([line]) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "npm ci",
    "npx --no-install sandbox",
    "cat verdict.md >>",
    "gh pr comment",
  ]);
  expect(readFileSync(join(folder, "summary.md"), "utf8")).toBe(readFileSync(join(repository, "verdict.md"), "utf8"));
  expect(readFileSync(join(folder, "gh"), "utf8")).toMatch(/^pr comment .*--body-file verdict\.md\n$/);
  rmSync(join(repository, "verdict.md"));
});
