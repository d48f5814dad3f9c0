// The documents say what the code does: their tables come from the code, their commands run in the order in which they stand, their
// links lead somewhere. `npm run docs` writes the tables anew.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { configSchema } from "./config-schema.ts";
import { codeOf, documents, linksOf, partOf, shellBlocks, textOf, withPart } from "./markdown.ts";
import { optionNames, parts } from "./parts.ts";
import { runBlocks } from "./run-blocks.ts";
import { SCENARIO_SCHEMA, scenarioSchema } from "./scenario-schema.ts";

const made = Object.entries(parts).flatMap(([file, makers]) =>
  Object.entries(makers).map(([name, make]) => [file, name, make] as const),
);

describe("A generated part is made from the code:", () => {
  it.each(made)("%s, %s", (file, name, make) => {
    const wanted = make();
    if (process.env.UPDATE_DOCS) return writeFileSync(file, withPart(file, name, wanted));
    expect(partOf(file, name)).toBe(wanted);
  });
});

it("The schema of the configuration file is made from the code: its options are those of start", () => {
  const file = "spec/config.schema.json";
  if (process.env.UPDATE_DOCS) return writeFileSync(file, configSchema());
  expect(textOf(file)).toBe(configSchema());
});

it("The schema of scenarios is made from the code, as far as other specifications have its names", () => {
  const { text } = scenarioSchema();
  if (process.env.UPDATE_DOCS) return writeFileSync(SCENARIO_SCHEMA, text);
  expect(textOf(SCENARIO_SCHEMA)).toBe(text);
});

describe("The README", () => {
  it("has at most 150 lines", () => {
    expect(textOf("README.md").split("\n").length).toBeLessThanOrEqual(151);
  });

  it("begins with commands that work in a clone", () => {
    expect(shellBlocks("README.md")[0]?.trim()).toBe("npm ci && npx sandbox start");
  });
});

it("The architecture names each folder of src/", () => {
  const [, list = ""] = /```text\n([\s\S]*?)```/.exec(textOf("docs/architecture.md")) ?? [];
  const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(
    folders.map(({ name }) => name).filter((name) => name !== "generated" && !list.includes(` ${name}/ `)),
  ).toEqual([]);
});

it("CONTRIBUTING lists each dependency with its purpose", () => {
  const named = [...partOf("CONTRIBUTING.md", "dependencies").matchAll(/^\| (\S+) \| .+ \|$/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== "package");
  expect(named.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
  expect(manifest).not.toHaveProperty("dependencies");
});

describe("Every link has an existing file and heading:", () => {
  it.each(documents)("%s", (file) => {
    const broken = linksOf(file).filter((link) => {
      const [path = "", heading] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      if (!existsSync(target)) return true;
      return heading !== undefined && !headingsOf(target).includes(heading);
    });
    expect(broken).toEqual([]);
  });
});

const headingsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    (words as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

/** What a document tells its reader to save as a file first. */
const FILES: Record<string, () => Record<string, string>> = {
  "README.md": () => ({ "contract.test.mjs": CONTRACT }),
  "docs/testing.md": () => ({ "contract.test.mjs": CONTRACT, "lost.test.mjs": codeOf("docs/testing.md", "node-test") }),
  "docs/library.md": () => ({ "examples.mjs": codeOf("docs/library.md", "library-examples") }),
  "docs/webhooks.md": () => ({ "receiver.mjs": codeOf("docs/webhooks.md", "receiver-node") }),
  "docs/scenarios.md": () => ({ "story.yaml": codeOf("docs/scenarios.md", "story") }),
};
/** A reader's own test, as `exec` runs it. */
const CONTRACT = `
import assert from "node:assert/strict";
import { test } from "node:test";
test("the sandbox is there", async () => assert.equal((await fetch(process.env.SANDBOX_URL + "/healthz")).status, 200));
`;
/** What a document promises that its reader sees. */
const VIEW: Record<string, RegExp> = {
  // The page of the journal with the new entry, and no other.
  "docs/tutorial.md": /\{"items":\[\{"id":"[^"]+","kind":"SALE",(?:(?!"kind":)[^\n])*\]\}/,
};

/** Blocks that install the package in a project: the tarball check does that. */
const INSTALLS = /^npm (ci$|install)/m;
/** The package is installed here already. */
const afterInstall = (block: string): string => block.replace(/^npm ci && /m, "");

describe("The commands of a document run in order:", () => {
  // The README in the usual run, the others when there is time.
  const isTried = (file: string) => file === "README.md" || Boolean(process.env.SANDBOX_LONG);
  const runnable = documents.filter((file) => file !== "CONTRIBUTING.md" && file !== "AGENTS.md" && isTried(file));
  it.each(runnable.filter((file) => shellBlocks(file).length > 0))("%s", async (file) => {
    const blocks = shellBlocks(file)
      .filter((block) => !INSTALLS.test(block))
      .map(afterInstall);
    const { code, output } = await runBlocks(blocks, FILES[file]?.());
    expect(code, output).toBe(0);
    expect(output).toMatch(VIEW[file] ?? "");
    expect(output).not.toMatch(/"code": ?"(BAD_REQUEST|UNAUTHORIZED|NOT_FOUND|INTERNAL)/);
  });
});

describe("No text recommends a command that npx would download:", () => {
  // Where the package is not installed, npx offers whatever the registry has under the name. Only in a clone of this repository the
  // program is always there, so these texts may leave the option out.
  const READ_IN_CLONE = ["README.md", "docs/tutorial.md", "docs/commands.md", "docs/troubleshooting.md"];
  const isText = (name: string) =>
    /\.(md|ts|tsx|mjs|html|yaml|yml|json|ps1|py|php|js)$/.test(name) && !/generated|node_modules/.test(name);
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter(isText);
  const texts = [
    ...documents,
    "SECURITY.md",
    "RELEASING.md",
    ...["docs", "src", "spec", "fixtures", "scenarios", "test/examples"].flatMap(filesIn),
  ];

  it.each<[string, RegExp, readonly string[]]>([
    ["the name that the package has not yet claimed", /npx[", ]+(?:(?:-y|--yes)[", ]+)?experience-sandbox/, []],
    ["another vendor's package", /npx[", ]+(?:(?:-y|--yes)[", ]+)?sandbox\b/, READ_IN_CLONE],
  ])("%s", (_, pattern, exceptions) => {
    const breaches = [...new Set(texts)].filter((file) => !exceptions.includes(file) && pattern.test(textOf(file)));
    expect(breaches).toEqual([]);
  });
});

it("Every option in the workflow exists", () => {
  const workflow = partOf("docs/testing.md", "workflow").replaceAll("npx --no-install", "npx");
  const options = [...workflow.matchAll(/ --([a-z-]+)/g)].map(([, name]) => name);
  expect([...optionNames(), "reporter", "output"]).toEqual(expect.arrayContaining(options));
});

it("A document at the root that a packaged one links to is in the package, except that of contributors", () => {
  const packed = documents.filter((file) => file.startsWith("docs/") || manifest.files.includes(file));
  const linked = packed.flatMap((file) => linksOf(file).map((link) => join(dirname(file), link.replace(/#.*$/, ""))));
  const outside = linked.filter((file) => /^[A-Z]+\.md$/.test(file) && !manifest.files.includes(file));
  expect(
    [...new Set(outside)].filter((file) => !["CONTRIBUTING.md", "AGENTS.md", "RELEASING.md"].includes(file)),
  ).toEqual([]);
});
