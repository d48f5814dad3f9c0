// The workflow in docs/checks.md: it is YAML that runs steps, and the commands and options in it exist.
import { expect, it } from "vitest";
import { parse } from "yaml";
import { commandTable } from "../../src/cli/command-line.ts";
import { reporters } from "../../src/verdict/report/index.ts";
import { codeOf } from "./markdown.ts";

interface Step {
  run?: string;
  uses?: string;
}

it("The workflow of the verdict is YAML, and its commands exist", () => {
  const { jobs } = parse(codeOf("docs/checks.md", "workflow")) as { jobs: { verdict: { steps: Step[] } } };
  const { steps } = jobs.verdict;
  for (const { run, uses } of steps) expect(run ?? uses).toBeTypeOf("string");
  const lines = steps.flatMap(({ run = "" }) => (run.startsWith("npx --no-install sandbox ") ? [run] : []));
  expect(lines).toHaveLength(1);
  const [words = ""] = (lines[0] ?? "").replace("npx --no-install sandbox ", "").split(" -- ");
  const [name, ...rest] = words.split(" ");
  const command = Object.values(commandTable)
    .flat()
    .find((each) => each.name === name);
  const runs =
    command && "members" in command ? command.members.find((each) => each.name === command.default) : undefined;
  const options = (runs?.options ?? []).map((each) => each.name);
  const given = rest.flatMap((word) => (word.startsWith("--") ? [word.slice(2)] : []));
  expect(options).toEqual(expect.arrayContaining(given));
  const [format = "", file] = rest[rest.indexOf("--report") + 1]?.split("=") ?? [];
  expect(Object.keys(reporters)).toContain(format);
  expect(steps.some(({ run }) => run?.includes(`--body-file ${file}`))).toBe(true);
});
