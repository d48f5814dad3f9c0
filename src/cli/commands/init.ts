// sandbox init: adds a starter setup to a project: configuration, fixture, scenario, test and CI workflow. The files are those of docs/starter.
// Existing files are left unchanged, except that package.json gets a script.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findOutside } from "../../platform/bounded-file.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import { makeFolder } from "../../platform/make-folder.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { type Call, type Command, jsonOption, option } from "../command.ts";
import { Failure, Misuse, toMessage } from "../failure.ts";
import { formatColumns } from "../terminal/terminal.ts";
import { writeWhole } from "../whole-file.ts";

const LANGUAGES = ["ts", "js", "python", "php"] as const;
type Language = (typeof LANGUAGES)[number];

/** The option keeps npx from installing a missing package, which anyone may have published under that name. */
const NPX = "npx --no-install";

export const init: Command = {
  name: "init",
  summary: "Add a starter setup: fixture, scenario, test, CI.",
  arguments: [["[folder]", "Where to write; default: here. Existing files are not changed."]],
  options: [
    option.text("lang", "LANGUAGE", "Language of the test; default: that of the project.", { choices: LANGUAGES }),
    jsonOption,
  ],
  epilogue: "  sandbox init\n  sandbox init ./contract-tests --lang python",
  run: writeStart,
};

async function writeStart({ args: [name = "."], given, terminal }: Call): Promise<undefined> {
  const folder = resolve(name);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new Misuse(`${name} is a file. Name a folder.`);
  const language = (given.text("lang") as Language | undefined) ?? detectLanguage(folder);
  const manifest = readManifest(folder);
  const test = pickTest(language, manifest?.members ?? {});
  const installed = findInstalledPackage(folder);
  // The files refer to schemas in the folder of the package.
  const files = readTemplates(folder, test, join(installed ?? join(folder, PACKAGE), "spec"));
  for (const { path } of files) assertInside(folder, path);
  const created = files.filter((file) => writeNew(folder, file)).map(({ path }) => path);
  const left = files.map(({ path }) => path).filter((path) => !created.includes(path));
  const script = manifest !== undefined && addScript(manifest);
  const next = listNextSteps(folder, test, installed !== undefined);
  if (given.flag("json")) {
    const about = { ok: true, folder, created, left, script, language, runner: test.runner };
    return void terminal.json({ ...about, next: next.map(([line]) => line) });
  }
  const lists: [title: string, rows: string[][]][] = [
    ["Written:", created.map((path) => [path])],
    ["Not changed, because they exist:", left.map((path) => [path])],
    ["Added to package.json:", script ? [['"sandbox": "sandbox"', "a script: npm run sandbox -- start"]] : []],
    ["\nNext:", next],
  ];
  for (const [title, rows] of lists)
    if (rows.length > 0) terminal.print([title, ...formatColumns(rows).map((line) => `  ${line}`)].join("\n"));
}

function listNextSteps(folder: string, test: StarterTest, isInstalled: boolean): string[][] {
  // npm installs a checkout by the path of its folder.
  const root = getPackageRoot();
  const source = root.replaceAll("\\", "/").endsWith(PACKAGE) ? "experience-sandbox" : quotePath(root);
  const way = relative(resolve(), folder);
  return [
    // The steps begin in the current folder, not in the new one.
    ...(way === "" ? [] : [[`cd ${quotePath(way)}`]]),
    ...(existsSync(join(folder, "package.json")) ? [] : [["npm init -y"]]),
    ...(isInstalled ? [] : [[`npm install --save-dev ${source}`]]),
    [`${NPX} sandbox play scenarios`, "plays the scenarios"],
    [`${NPX} sandbox start`, "serves my-company"],
    [test.commands.at(-1) ?? "", `runs the test with ${test.runner}`],
    [`${NPX} sandbox validate my-company`, "after changing the fixture"],
  ];
}

const quotePath = (path: string): string => (/^[\w./-]+$/.test(path) ? path : JSON.stringify(path));

/** The files that determine the language. The first existing file decides. */
const LANGUAGE_FILES: readonly (readonly [file: string, language: Language])[] = [
  ["tsconfig.json", "ts"],
  ["package.json", "js"],
  ["pyproject.toml", "python"],
  ["requirements.txt", "python"],
  ["composer.json", "php"],
];

const detectLanguage = (folder: string): Language =>
  LANGUAGE_FILES.find(([file]) => existsSync(join(folder, file)))?.[1] ?? "js";

/** `template` is a file in docs/starter/test. `commands` run the test in a new checkout. */
const createTest = (runner: string, template: string, path: string, ...commands: string[]) => ({
  runner,
  template,
  path,
  commands,
});

type StarterTest = ReturnType<typeof createTest>;

const TESTS = {
  vitest: createTest("vitest", "vitest.mjs", "test/first-booking.test.mjs", `${NPX} vitest run`),
  jest: createTest("jest", "jest.js", "test/first-booking.test.js", `${NPX} jest`),
  "--test": createTest("node:test", "node-test.mjs", "test/first-booking.test.mjs", "node --test"),
  // These two get their sandbox from `sandbox exec`.
  python: createTest(
    "unittest",
    "python.py",
    "test/test_first_booking.py",
    `${NPX} sandbox exec -- python3 -m unittest discover -s test`,
  ),
  php: createTest(
    "phpunit",
    "phpunit.php",
    "tests/FirstBookingTest.php",
    "composer install",
    `${NPX} sandbox exec -- vendor/bin/phpunit tests`,
  ),
};

type Members = Readonly<Record<string, unknown>>;

const toMembers = (value: unknown): Members => (isObject(value) ? value : {});

/** Returns undefined without a readable package.json. A link may point outside the project. */
function readManifest(folder: string): { file: string; text: string; members: Members } | undefined {
  const file = join(folder, "package.json");
  try {
    const text = lstatSync(file).isFile() ? readFileSync(file, "utf8") : "";
    const members = parseJson(text);
    return isObject(members) ? { file, text, members } : undefined;
  } catch {
    return undefined;
  }
}

/** Picks the runner of the test script, or else one of the dependencies, or else that of Node.js. */
function pickTest(language: Language, { type, scripts, dependencies, devDependencies }: Members): StarterTest {
  if (language === "python" || language === "php") return TESTS[language];
  const names = Object.keys({ ...toMembers(dependencies), ...toMembers(devDependencies) });
  const [found = "--test"] = [String(toMembers(scripts).test), names.join(" ")].flatMap(
    (text) => /\bvitest\b|\bjest\b|--test\b/.exec(text)?.[0] ?? [],
  );
  const test = TESTS[found as "vitest" | "jest" | "--test"];
  // Only a CommonJS project needs the template with require().
  const isModule = found === "jest" && (type === "module" || language === "ts");
  const path = language === "ts" ? "test/first-booking.test.ts" : test.path;
  return { ...test, path, template: isModule ? "jest-module.js" : test.template };
}

/** Adds the script that makes `npm run sandbox -- start` work. Returns false if there is one. */
function addScript({ file, text, members }: NonNullable<ReturnType<typeof readManifest>>): boolean {
  const { scripts = {} } = members;
  if (!isObject(scripts) || Object.hasOwn(scripts, "sandbox")) return false;
  const [, indent = "  "] = /^([ \t]+)"/m.exec(text) ?? [];
  const changed = { ...members, scripts: { ...scripts, sandbox: "sandbox" } };
  writeWhole(file, `${JSON.stringify(changed, null, indent)}\n`, true);
  return true;
}

const PACKAGE = "node_modules/experience-sandbox";

function findInstalledPackage(folder: string): string | undefined {
  const path = join(folder, PACKAGE);
  if (existsSync(path)) return path;
  const above = dirname(folder);
  return above === folder ? undefined : findInstalledPackage(above);
}

interface StarterFile {
  /** The path relative to the folder, with slashes. */
  path: string;
  text: string;
}

function readTemplates(folder: string, test: StarterTest, spec: string): StarterFile[] {
  const starter = join(getPackageRoot(), "docs/starter");
  return readdirSync(starter, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(join(starter, name)).isFile())
    .filter((name) => !name.startsWith("test/") || name === `test/${test.template}`)
    .map((from) => {
      const path = from.startsWith("test/") ? test.path : from;
      // Editors need the path of the schema relative to the written file.
      const beside = relative(dirname(join(folder, path)), spec).replaceAll("\\", "/");
      const schemas = beside.startsWith(".") ? beside : `./${beside}`;
      const text = readFileSync(join(starter, from), "utf8")
        .replace(/(\.\.\/)+spec\//g, `${schemas}/`)
        .replace("      - run: npm test\n", test.commands.map((command) => `      - run: ${command}\n`).join(""));
      return { path, text };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function assertInside(folder: string, path: string): void {
  const elsewhere = findOutside(folder, dirname(join(folder, path)));
  if (elsewhere === undefined) return;
  throw new Failure(
    `${path} points through a link to ${elsewhere}, outside ${folder}. Remove the link, or name another folder: sandbox init <folder>. Nothing was written.`,
  );
}

/** Returns false if the file exists. */
function writeNew(folder: string, { path, text }: StarterFile): boolean {
  const target = join(folder, path);
  try {
    // A link to a missing file exists, too.
    if (lstatSync(target, { throwIfNoEntry: false })) return false;
    makeFolder(dirname(target));
    writeFileSync(target, text, { flag: "wx" });
    return true;
  } catch (error) {
    throw new Failure(`${path} can't be written: ${toMessage(error)}. Name a folder that you may write to.`);
  }
}
