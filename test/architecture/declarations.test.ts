// The declarations that the package ships (`dist/types`), as the compilers of users see them: each module format and resolution, all checks on.
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const file = fileURLToPath(new URL("declarations.mts", import.meta.url));

const EVERYWHERE: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  types: ["node"],
};

/** Without `skipLibCheck` the declarations are checked too. */
const COMPILERS: [name: string, options: ts.CompilerOptions][] = [
  ["nodenext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
  ["bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true }],
];

describe("The declarations", () => {
  it.each(COMPILERS)("reject mistakes in a user's code, and accept the rest, under %s", (_name, options) => {
    const program = ts.createProgram([file], { ...EVERYWHERE, ...options });
    const found = ts.getPreEmitDiagnostics(program).map(({ file: at, start = 0, messageText }) => {
      const line = at ? at.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${at?.fileName ?? ""}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
    expect(found).toEqual([]);
  });
});
