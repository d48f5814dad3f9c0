// One word for one thing, and one declaration for one type: the names in src/ and test/ against the words of vocabulary.ts, and AGENTS.md with them.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { builders, importers, type SourceFile, sourceFiles } from "./source.ts";
import { BY_THE_FIELD, PRINTED, WORDS_IN, WORDS_OUT } from "./vocabulary.ts";

type Role = "member" | "type" | "other";
type Named = { name: string; role: Role; at: string };
type NamedFile = { path: string; names: readonly Named[] };

const root = new URL("../../", import.meta.url);
const text = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), "utf8");

/** The path of a source file, which is relative to src/. */
const fromRoot = (path: string): string => posix.normalize(`src/${path}`);

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

/** What a name names, where it is declared; undefined where it only refers to something. */
function roleOf(node: ts.Identifier | ts.PrivateIdentifier): Role | undefined {
  const { parent } = node;
  if (!("name" in parent) || parent.name !== node) return undefined;
  if (ts.isTypeAliasDeclaration(parent) || ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent))
    return "type";
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isFunctionDeclaration(parent)) return "other";
  // A member of what somebody else has made may be taken out under its name.
  if (ts.isBindingElement(parent)) return parent.propertyName ? "other" : "member";
  const isMember =
    ts.isPropertySignature(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isGetAccessor(parent);
  return isMember ? "member" : undefined;
}

function namesIn(path: string, source: string): Named[] {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : undefined;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true, kind);
  const found: Named[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const role = roleOf(node);
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (role) found.push({ name: node.text, role, at: `${fromRoot(path)}:${line}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Members, schemas and values of the documents that the types are generated from. */
function wireNames(): ReadonlySet<string> {
  const folder = fileURLToPath(new URL("src/contract/generated/", root));
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const all = files.map((name) => readFileSync(`${folder}${name}`, "utf8")).join("\n");
  return new Set(all.match(/[A-Za-z_][A-Za-z0-9_]*/g));
}

function wrongWords(names: readonly Named[], wire: ReadonlySet<string>): string[] {
  return names.flatMap(({ name, role, at }) => {
    if (BY_THE_FIELD.includes(name) || (role === "member" && Object.hasOwn(PRINTED, name))) return [];
    if (role !== "other" && wire.has(name)) return [];
    const word = wordsOf(name).find((each) => Object.hasOwn(WORDS_OUT, each));
    return word === undefined ? [] : [`${at}: ${name} has the word "${word}". Use ${WORDS_OUT[word]}.`];
  });
}

/** The types that several files of a building declare. */
function declaredTwice(files: readonly NamedFile[]): string[] {
  const first = new Map<string, string>();
  return files.flatMap(({ path, names }) => {
    const building = path.split("/")[0] ?? "";
    return names.flatMap(({ name, role, at }) => {
      const other = first.get(`${building}/${name}`);
      if (role !== "type" || other === path) return [];
      if (other !== undefined)
        return [`${at}: src/${other} declares a type ${name} too. Import it, or call this what it is.`];
      first.set(`${building}/${name}`, path);
      return [];
    });
  });
}

const named = ({ path, text: source }: SourceFile): NamedFile => ({ path, names: namesIn(path, source) });
/** The tables of words have all of them. */
const TABLES = "../test/architecture/vocabulary.ts";

describe("In src/ and test/", () => {
  const files = sourceFiles().map(named);
  const tests = importers().filter(({ path }) => path.startsWith("../test/") && path !== TABLES);
  const all = [...files, ...builders().map(named), ...tests.map(named)];

  it("no name contains a forbidden word", () => {
    expect(
      wrongWords(
        all.flatMap(({ names }) => names),
        wireNames(),
      ),
    ).toEqual([]);
  });

  it("no file name contains a forbidden word", () => {
    const wrong = all.flatMap(({ path }) => {
      const word = wordsOf(path.split("/").at(-1) ?? "").find((each) => Object.hasOwn(WORDS_OUT, each));
      return word === undefined ? [] : [`${fromRoot(path)} has the word "${word}". Use ${WORDS_OUT[word]}.`];
    });
    expect(wrong).toEqual([]);
  });

  it("each type name is declared in one file of a building", () => {
    expect(declaredTwice(files)).toEqual([]);
  });
});

describe("Rejects a name", () => {
  const wrongIn = (source: string) => wrongWords(namesIn("engine/a.ts", source), new Set(["told", "KeptVerdict"]));

  it.each([
    ["const toldAt = 1;", 'toldAt has the word "told"'],
    ["const told = 1;", 'told has the word "told"'],
    ["type Shown = 1;", 'Shown has the word "shown"'],
    ["const f = ({ default: usual }: X) => 1;", 'usual has the word "usual"'],
  ])("%s", (source, fault) => {
    expect(wrongIn(source)).toEqual([expect.stringContaining(`src/engine/a.ts:1: ${fault}. Use `)]);
  });

  it.each(["const a = { told: 1 };", "type KeptVerdict = 1;", "function placeBooking() {}", "const replaced = 1;"])(
    "but not in %s",
    (source) => expect(wrongIn(source)).toEqual([]),
  );
});

it("AGENTS.md lists the words and their meanings", () => {
  const table = WORDS_IN.map(([word, meaning]) => `| ${word} | ${meaning} |`).join("\n");
  expect(text("AGENTS.md")).toContain(`| word | meaning |\n|---|---|\n${table}\n`);
});

it("AGENTS.md names each building and each room of the engine", () => {
  const foldersOf = (path: string) =>
    readdirSync(fileURLToPath(new URL(path, root)), { withFileTypes: true }).filter((each) => each.isDirectory());
  const layout =
    text("AGENTS.md")
      .split("## ")
      .find((part) => part.startsWith("Layout")) ?? "";
  const wanted = [
    ...foldersOf("src/").map(({ name }) => `\`src/${name}/\``),
    ...foldersOf("src/engine/").map(({ name }) => `\`${name}/\``),
  ];
  expect(wanted.filter((name) => !layout.includes(name))).toEqual([]);
});
