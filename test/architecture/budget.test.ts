// The budget of budget.ts: no module exceeds its ceiling, and no function its length but the known ones. Prints what is left to do.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { KNOWN_LONG_FUNCTIONS, MAX_FUNCTION_LINES, MAX_TSX_FUNCTION_LINES, MODULES } from "./budget.ts";
import { countCodeLines, readSource, type SourceFile, sourceFiles } from "./source.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const COUNTED = /\.(tsx?|[mc]?js|css|html)$/;
const NOT_COUNTED = /^src\/contract\/generated\/|^test\/corpus\/|\/node_modules\//;

const files = ["src", "test"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && COUNTED.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .filter((path) => !NOT_COUNTED.test(path));

const isIn = (path: string, location: string) =>
  location.endsWith("/") ? path.startsWith(location) : path === location;

const lines = new Map(files.map((path) => [path, countCodeLines(readFileSync(join(root, path), "utf8"))]));

function countModule(paths: readonly string[]): number {
  const counted = [...lines].filter(([path]) => paths.some((location) => isIn(path, location)));
  return counted.reduce((sum, [, count]) => sum + count, 0);
}

function findLongFunctions({ path, functions }: SourceFile): string[] {
  const max = path.endsWith(".tsx") ? MAX_TSX_FUNCTION_LINES : MAX_FUNCTION_LINES;
  return functions.filter(({ codeLines }) => codeLines > max).map(({ name }) => `src/${path}: ${name}`);
}

describe("The budget", () => {
  it.each(MODULES)("$name has at most $ceiling code lines", ({ name, paths, ceiling, goal }) => {
    const count = countModule(paths);
    if (count > goal) console.log(`budget: ${name} has ${count} code lines, ${count - goal} over its goal of ${goal}`);
    const advice = `Delete ${count - ceiling} lines. Only a new capability may raise the ceiling in budget.ts.`;
    expect(count, `${name} has ${count} code lines and may have ${ceiling}. ${advice}`).toBeLessThanOrEqual(ceiling);
  });

  it("has a row for every file", () => {
    const rows = MODULES.flatMap(({ name, paths }) => (name.startsWith("all of ") ? [] : paths));
    const missing = files.filter((path) => path.startsWith("src/") && !rows.some((location) => isIn(path, location)));
    expect(missing).toEqual([]);
  });

  it(`has no function over ${MAX_FUNCTION_LINES} code lines (${MAX_TSX_FUNCTION_LINES} in .tsx) beside the known ones`, () => {
    const long = sourceFiles().flatMap(findLongFunctions);
    const shortened = KNOWN_LONG_FUNCTIONS.filter((known) => !long.includes(known));
    if (shortened.length > 0) console.log(`budget: remove from KNOWN_LONG_FUNCTIONS:\n  ${shortened.join("\n  ")}`);
    expect(long.filter((found) => !KNOWN_LONG_FUNCTIONS.includes(found))).toEqual([]);
  });
});

describe("The count", () => {
  it("skips blank lines and comments", () => {
    const text = "// a\n\n/* b\n c */\n/** d */\nconst e = 1; // f\n{/* g */}\n<!-- h -->\n/* i */ const j = 2;\n";
    expect(countCodeLines(text)).toBe(2);
  });

  it("includes the functions inside a function", () => {
    const inner = `const inner = () => {\n${"go();\n".repeat(58)}};`;
    const text = `function outer() {\n${inner}\n}`;
    expect(findLongFunctions(readSource("engine/a.ts", text))).toEqual(["src/engine/a.ts: outer"]);
    expect(findLongFunctions(readSource("console/a.tsx", text))).toEqual([]);
  });
});
