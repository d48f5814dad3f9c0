// Which files are scenarios: those with steps; what is none is left alone in a folder, and refused in one line when it is named.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { findScenarioFiles, load } from "../../../src/stories/scenario/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
const project = join(folder, "project");

const STORY = "title: Who\nsteps:\n  - { name: me, call: getMe }\n";
function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

beforeAll(() => {
  put("project/package.json", '{ "name": "shop", "scripts": { "steps": "echo" } }');
  put("project/compose.yaml", "services:\n  web:\n    steps: 3\n");
  put("project/chart/values.yaml", "{{ if .Values.x }}\na: b\n{{ end }}\n");
  put("project/stories/one.yaml", STORY);
  put("project/stories/deep/two.yml", STORY);
  put("project/stories/three.json", '{ "title": "x", "steps": [] }');
  put("project/stories/misspelt.yaml", STORY.replace("steps", "stepps"));
  put("project/talk.yaml", "title: Talk\nstops:\n  - { at: noon }\n");
  put("project/stories/broken.yaml", `${STORY}  - [\n`);
  put("project/node_modules/other/story.yaml", STORY);
  put("project/.github/workflow.yaml", STORY);
  put("outside.yaml", STORY);
  put("project/app.js", "export const x = { y: [1] };\nfor (;;) {}\n");
  symlinkSync(join(folder, "outside.yaml"), join(project, "stories", "linked.yaml"));
  symlinkSync(project, join(project, "stories", "round-about"));
  symlinkSync("one.yaml", join(project, "stories", "also-one.yaml"));
  execFileSync("mkfifo", [join(project, "stories", "pipe.yaml")]);
  put("large.yaml", STORY);
  truncateSync(join(folder, "large.yaml"), 17_000_000);
});

test("in a folder, finds files with steps, but no packages, hidden folders, pipes or links to outside", () => {
  const { files, problems: faults } = findScenarioFiles([project]);
  const names = ["also-one.yaml", "broken.yaml", "deep/two.yml", "misspelt.yaml", "one.yaml", "three.json"];
  expect(files).toEqual(names.map((name) => join(project, "stories", name)));
  expect(faults).toEqual([]);
});

test("reports a folder without any", () => {
  expect(findScenarioFiles([join(project, "chart")]).problems).toEqual([
    expect.stringContaining("chart: no scenario here"),
  ]);
});

describe("reports in one line:", () => {
  test.each([
    ["project/app.js", /: not a scenario, which is a YAML or JSON file with a `title` and a list of `steps`$/],
    ["project/package.json", /: not a scenario/],
    ["project/chart/values.yaml", /: not a scenario/],
    ["project/talk.yaml", /: not a scenario/],
    ["project/stories/misspelt.yaml", /misspelt\.yaml:3:3: there is no member `stepps`; did you mean `steps`\?$/],
    ["project/stories/pipe.yaml", /: is a pipe or a device, not a regular file\. Put a file there\.$/],
    ["large.yaml", /: has 17000000 bytes, and at most 16 MiB are read\. Make it smaller\.$/],
  ])("%s", (name, message) => {
    expect(load(join(folder, name)).unreadable).toEqual([expect.stringMatching(message)]);
  });

  test("a device", () => {
    expect(load("/dev/zero").unreadable).toEqual([
      "/dev/zero: is a pipe or a device, not a regular file. Put a file there.",
    ]);
  });
});
