// sandbox init: adds a starter setup to a project: configuration, fixture, scenario, test and CI workflow. The files are those of docs/starter.
// Existing files are left unchanged, except that package.json gets a script.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findOutside, readBounded } from "../../platform/bounded-file.ts";
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

async function writeStart({ args: [name = "."], given, terminal }: Call): Promise<number> {
  const folder = resolve(name);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new Misuse(`${name} is a file. Name a folder.`);
  const starter = writeStarter(folder, given.text("lang") as Language | undefined);
  const { created, left, language, test, hasNewScript } = starter;
  const next = listNextSteps(starter, folder);
  if (given.flag("json")) {
    const commands = next.map(([line]) => line);
    const written = { created, left, script: hasNewScript };
    terminal.json({ ok: true, folder, ...written, language, runner: test.runner, next: commands });
    return 0;
  }
  const list = (title: string, rows: readonly (readonly string[])[]) => {
    if (rows.length === 0) return;
    const lines = formatColumns(rows).map((line) => `  ${line}`);
    terminal.print([title, ...lines].join("\n"));
  };
  const toRows = (paths: readonly string[]) => paths.map((path) => [path]);
  list("Written:", toRows(created));
  list("Not changed, because they exist:", toRows(left));
  list("Added to package.json:", hasNewScript ? [['"sandbox": "sandbox"', "a script: npm run sandbox -- start"]] : []);
  terminal.print("");
  list("Next:", next);
  return 0;
}

function listNextSteps({ install, hasManifest, test }: Starter, folder: string): string[][] {
  const way = relative(resolve(), folder);
  return [
    // The steps begin in the current folder, not in the new one.
    ...(way === "" ? [] : [[`cd ${quotePath(way)}`]]),
    ...(hasManifest ? [] : [["npm init -y"]]),
    ...(install === undefined ? [] : [[`npm install --save-dev ${quotePath(install)}`]]),
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

interface StarterTest {
  runner: string;
  /** The name of the template in docs/starter/test. */
  template: string;
  path: string;
  /** The commands that run the test in a new checkout. */
  commands: readonly string[];
}

const NODE_TESTS: Readonly<Record<string, Omit<StarterTest, "path">>> = {
  vitest: { runner: "vitest", template: "vitest.mjs", commands: [`${NPX} vitest run`] },
  jest: { runner: "jest", template: "jest.js", commands: [`${NPX} jest`] },
  "--test": { runner: "node:test", template: "node-test.mjs", commands: ["node --test"] },
};

/** The tests that get their sandbox from `sandbox exec`. */
const EXEC_TESTS: Readonly<Record<"python" | "php", StarterTest>> = {
  python: {
    runner: "unittest",
    template: "python.py",
    path: "test/test_first_booking.py",
    commands: [`${NPX} sandbox exec -- python3 -m unittest discover -s test`],
  },
  php: {
    runner: "phpunit",
    template: "phpunit.php",
    path: "tests/FirstBookingTest.php",
    commands: ["composer install", `${NPX} sandbox exec -- vendor/bin/phpunit tests`],
  },
};

interface Starter {
  created: readonly string[];
  /** Existing files, which are unchanged. */
  left: readonly string[];
  language: Language;
  test: StarterTest;
  hasManifest: boolean;
  /** True if the script `sandbox` was added to package.json. */
  hasNewScript: boolean;
  /** The package to install; undefined if it is installed already. */
  install: string | undefined;
}

/** Writes all files that don't exist yet. Throws a Failure before writing anything if a path points outside the folder. */
function writeStarter(folder: string, named?: Language): Starter {
  const language = named ?? LANGUAGE_FILES.find(([file]) => existsSync(join(folder, file)))?.[1] ?? "js";
  const manifest = readManifest(folder);
  const test = pickTest(language, manifest?.members ?? {});
  // The files refer to schemas in the folder of the package.
  const home = findInstalledPackage(folder);
  const files = readTemplates(folder, test, join(home ?? join(folder, PACKAGE), "spec"));
  for (const { path } of files) assertInside(folder, path);
  const created = files.filter((file) => writeNew(folder, file)).map(({ path }) => path);
  return {
    created,
    left: files.map(({ path }) => path).filter((path) => !created.includes(path)),
    language,
    test,
    hasManifest: existsSync(join(folder, "package.json")),
    hasNewScript: manifest !== undefined && addScript(manifest),
    install: home === undefined ? getInstallSource() : undefined,
  };
}

type Members = Readonly<Record<string, unknown>>;

interface Manifest {
  file: string;
  text: string;
  members: Members;
}

const toMembers = (value: unknown): Members => (isObject(value) ? value : {});

/** Returns undefined without a readable package.json. A link may point outside the project. */
function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, "package.json");
  try {
    const text = lstatSync(file).isFile() ? readBounded(file) : "";
    const members = parseJson(text);
    return isObject(members) ? { file, text, members } : undefined;
  } catch {
    return undefined;
  }
}

/** Picks the runner of the test script, or else one of the dependencies, or else that of Node.js. */
function pickTest(language: Language, { type, scripts, dependencies, devDependencies }: Members): StarterTest {
  if (language === "python" || language === "php") return EXEC_TESTS[language];
  const names = Object.keys({ ...toMembers(dependencies), ...toMembers(devDependencies) });
  const [found = "--test"] = [String(toMembers(scripts).test), names.join(" ")].flatMap(
    (text) => /\bvitest\b|\bjest\b|--test\b/.exec(text)?.[0] ?? [],
  );
  const test = NODE_TESTS[found] as (typeof NODE_TESTS)[string];
  // Only a CommonJS project needs the template with require().
  const isModule = found === "jest" && (type === "module" || language === "ts");
  const ending = language === "ts" ? "ts" : found === "jest" ? "js" : "mjs";
  return {
    ...test,
    template: isModule ? "jest-module.js" : test.template,
    path: `test/first-booking.test.${ending}`,
  };
}

/** Adds the script that makes `npm run sandbox -- start` work. Returns false if there is one. */
function addScript({ file, text, members }: Manifest): boolean {
  const { scripts = {} } = members;
  if (!isObject(scripts) || Object.hasOwn(scripts, "sandbox")) return false;
  const [, indent = "  "] = /^([ \t]+)"/m.exec(text) ?? [];
  const changed = { ...members, scripts: { ...scripts, sandbox: "sandbox" } };
  writeWhole(file, `${JSON.stringify(changed, null, indent)}\n`, true);
  return true;
}

/** Returns the package to install. For a checkout, this is its folder, which npm installs by path. */
function getInstallSource(): string {
  const own = getPackageRoot();
  return own.replaceAll("\\", "/").endsWith(PACKAGE) ? "experience-sandbox" : own;
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
  const names = readdirSync(starter, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !name.startsWith("test/") && statSync(join(starter, name)).isFile());
  const sources = [...names.map((name) => [name, name] as const), [`test/${test.template}`, test.path] as const];
  return sources
    .map(([from, path]) => {
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
