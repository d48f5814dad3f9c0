// RELEASING.md says the versions that the code has, and its workflow does what it says.
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { FORMAT as DATA_FILE } from "../../src/engine/log/snapshot.ts";
import { FORMAT as IN_POSTGRES } from "../../src/hosted/postgres/load-world.ts";
import { textOf } from "./markdown.ts";

const { version } = manifest;
const rows = textOf("RELEASING.md")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, what = "", where = "", today = ""]) => [what, where.replaceAll("`", ""), today] as const);
const todayOf = (what: string) => rows.find(([each]) => each === what)?.[2];
const versionIn = (file: string) => (parse(textOf(file)) as { info: { version: string } }).info.version;

describe("RELEASING.md", () => {
  it("has the version of the package, as do the lock file, the control API, the change log and the README", () => {
    expect(todayOf("the package")).toBe(version);
    expect([lock.version, lock.packages[""].version, todayOf("the control API")]).toEqual([version, version, version]);
    expect(versionIn("spec/control.yaml")).toBe(version);
    const released = [...textOf("CHANGELOG.md").matchAll(/^## \[(.+?)\](.*)$/gm)].map(([, name, day]) => [name, day]);
    expect(released.slice(0, 2)).toEqual([
      ["Unreleased", ""],
      [version, expect.stringMatching(/^ - \d{4}-\d\d-\d\d$/)],
    ]);
    const files = [...textOf("README.md").matchAll(/experience-sandbox-(\d[^ `]*)\.tgz/g)].map(([, number]) => number);
    expect([...new Set(files)]).toEqual([version]);
  });

  it("has the version of the description and the formats of data", () => {
    expect(todayOf("the description of the service")).toBe(versionIn("spec/openapi.yaml"));
    expect(todayOf("the data file")).toBe(`format ${DATA_FILE}`);
    expect(todayOf("a world in PostgreSQL")).toBe(`format ${IN_POSTGRES}`);
    for (const [, file] of rows.slice(2)) expect(() => textOf(file)).not.toThrow();
  });

  it("has a workflow that starts at a tag, checks everything, and publishes the tested package", () => {
    const { on, jobs } = parse(textOf(".github/workflows/release.yml"));
    expect(on).toEqual({ push: { tags: ["v*"] } });
    const commands = jobs.release.steps.flatMap(({ run }: { run?: string }) => run?.trim().split("\n")[0] ?? []);
    const publish = expect.stringMatching(/^npm publish "experience-sandbox-.*\.tgz" --provenance --access public$/);
    expect(commands.slice(1, 4)).toEqual([".ci/run", "npm run pack", publish]);
    expect(jobs.release.permissions).toEqual({ contents: "write", "id-token": "write" });
  });
});
