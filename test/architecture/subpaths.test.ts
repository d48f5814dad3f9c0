// Every subpath that the package exports as code has types, in whichever way a project's compiler resolves modules.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const subpaths = Object.keys(exports).filter((path) => !/\*|package\.json/.test(path));

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "subpaths-"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(root, join(project, "node_modules", name), "dir");
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const { Node10, Node16, NodeNext, Bundler } = ts.ModuleResolutionKind;

it.each([
  ["node10", Node10, ts.ModuleKind.CommonJS],
  ["node16", Node16, ts.ModuleKind.Node16],
  ["nodenext", NodeNext, ts.ModuleKind.NodeNext],
  ["bundler", Bundler, ts.ModuleKind.ESNext],
] as const)("%s", (_, moduleResolution, module) => {
  const found = subpaths.map((path) => {
    const from = join(project, "shop.ts");
    const { resolvedModule } = ts.resolveModuleName(join(name, path), from, { moduleResolution, module }, ts.sys);
    return [path, resolvedModule?.extension];
  });
  expect(found).toEqual(subpaths.map((path) => [path, ".d.ts"]));
});
