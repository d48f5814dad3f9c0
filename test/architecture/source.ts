// Reads the TypeScript files of src/ as the architecture rules see them: who imports what, and which effects are used.
import { readdirSync, readFileSync } from "node:fs";
import { posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** `names` without types; `taken`: all, or null where the file as a whole is imported. */
export type Import = { to: string; typeOnly: boolean; names: readonly string[]; taken: readonly string[] | null };

/** `codeLines` counts everything in the function. */
export type Written = { name: string; codeLines: number; parameters: number };

/** `path` is relative to src/; `to` of an import is a path of the same form, or the name of a library. */
export type SourceFile = {
  path: string;
  text: string;
  imports: readonly Import[];
  effects: ReadonlySet<string>;
  /** Of types, as they are imported or named. */
  typeNames: ReadonlySet<string>;
  functions: readonly Written[];
  exports: readonly string[];
};

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const GENERATED = "contract/generated/";

/** The files of a folder; of src/ without what is generated. */
function filesIn(folder: string, kind = /\.tsx?$/): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .map((path) => [relative(src, path).replaceAll("\\", "/"), path] as const)
    .filter(([name]) => folder !== src || !name.startsWith(GENERATED))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, path]) => readSource(name, readFileSync(path, "utf8")));
}

export const sourceFiles = (): SourceFile[] => filesIn(src);

/** What imports from src/ and stands under no rule: tests, benches, and what is generated. */
export const importers = (): SourceFile[] => [
  ...filesIn(fileURLToPath(new URL("../", import.meta.url)), /\.(tsx?|mjs)$/),
  ...filesIn(src + GENERATED),
];

/** What makes the program of src/, in JavaScript. */
export const builders = (): SourceFile[] => filesIn(`${src}build`, /\.mjs$/);

export function readSource(path: string, text: string): SourceFile {
  const imports: Import[] = [];
  const effects = new Set<string>();
  const typeNames = new Set<string>();
  const functions: Written[] = [];
  const exports: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) typeNames.add((node.propertyName ?? node.name).text);
    if (ts.isTypeReferenceNode(node)) typeNames.add(node.typeName.getText());
    if (isFunction(node)) functions.push(writtenAs(node));
    exports.push(...exportsOf(node));
    const found = importOf(node);
    if (found) imports.push({ ...found, to: resolved(path, found.to) });
    const effect = effectOf(node);
    if (effect) effects.add(effect);
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, path.endsWith("x") ? ts.ScriptKind.TSX : undefined),
  );
  return { path, text, imports, effects, typeNames, functions, exports };
}

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && "body" in node && node.body !== undefined;

function writtenAs(node: ts.FunctionLikeDeclaration): Written {
  const { parent } = node;
  const name = node.name?.getText() ?? (ts.isVariableDeclaration(parent) ? parent.name.getText() : "a function");
  return { name, codeLines: countCodeLines(node.getText()), parameters: node.parameters.length };
}

/** The lines of a program, a style sheet or a page that are neither blank nor only comment. */
export function countCodeLines(text: string): number {
  const withoutComments = text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, "")
    .replace(/^[ \t]*(\/\/.*|\{\/\*.*\*\/\}|<!--.*-->)[ \t]*$/gm, "");
  return withoutComments.split("\n").filter((line) => line.trim() !== "").length;
}

function resolved(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier).replace(/^\.\.\/src\//, "") : specifier;
}

/** The names that a statement exports. */
function exportsOf(node: ts.Node): string[] {
  if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause))
    return node.exportClause.elements.map(({ name }) => name.text);
  if (ts.isExportAssignment(node)) return ["default"];
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []).map(({ kind }) => kind) : [];
  if (!modifiers.includes(ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.includes(ts.SyntaxKind.DefaultKeyword)) return ["default"];
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap(({ name }) => bound(name));
  const { name } = node as ts.DeclarationStatement;
  return name ? [name.getText()] : [];
}

const bound = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((each) => (ts.isOmittedExpression(each) ? [] : bound(each.name)));

function takenBy(node: ts.ImportDeclaration | ts.ExportDeclaration): Import["taken"] {
  if (ts.isExportDeclaration(node))
    return node.exportClause && ts.isNamedExports(node.exportClause)
      ? node.exportClause.elements.map((each) => (each.propertyName ?? each.name).text)
      : null;
  const { name, namedBindings } = node.importClause ?? {};
  if (namedBindings && ts.isNamespaceImport(namedBindings)) return null;
  const named = namedBindings?.elements.map((each) => (each.propertyName ?? each.name).text) ?? [];
  return [...(name ? ["default"] : []), ...named];
}

function importOf(node: ts.Node): Import | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
    const to = (node.moduleSpecifier as ts.StringLiteral).text;
    const taken = takenBy(node);
    if (ts.isExportDeclaration(node)) return { to, typeOnly: node.isTypeOnly, names: [], taken };
    const clause = node.importClause;
    const named = clause?.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings.elements : [];
    const names = named.filter((each) => !each.isTypeOnly).map((each) => (each.propertyName ?? each.name).text);
    const onlyTypes = clause?.isTypeOnly || (named.length > 0 && names.length === 0 && !clause?.name);
    return { to, typeOnly: Boolean(onlyTypes), names, taken };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { to: (node.argument.literal as ts.StringLiteral).text, typeOnly: true, names: [], taken: null };
  }
  if (ts.isCallExpression(node) && node.arguments[0] && ts.isStringLiteralLike(node.arguments[0])) {
    const isLoad = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === "require";
    if (isLoad) return { to: node.arguments[0].text, typeOnly: false, names: [], taken: null };
  }
  return undefined;
}

const TIMERS = new Set(["setTimeout", "setInterval", "setImmediate"]);
const CALLS = new Set([
  "Date.now",
  "Math.random",
  "Temporal.Now",
  "process.env",
  "http.request",
  "http.get",
  "https.request",
  "https.get",
]);

/** Names what reaches outside the program in passing: a clock, chance, a timer, the environment, the network. */
function effectOf(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) return "new Date()";
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText().replace(/^globalThis\./, "");
    return CALLS.has(text) || /^(console)\./.test(text) ? text.replace(/^console\..*/, "console") : undefined;
  }
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
  const name = node.expression.text;
  if (name === "Date") return "new Date()";
  return name === "fetch" || TIMERS.has(name) ? name : undefined;
}
