// Reads the TypeScript files of src/ as the architecture rules see them: who imports what, and which effects are used.
import { readdirSync, readFileSync } from "node:fs";
import { posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export type Import = { to: string; typeOnly: boolean; names: readonly string[] };

/** Its lines without those of the functions in it. */
export type Written = { name: string; lines: number; parameters: number };

/** `path` is relative to src/; `to` of an import is a path of the same form, or the name of a library. */
export type SourceFile = {
  path: string;
  text: string;
  imports: readonly Import[];
  effects: ReadonlySet<string>;
  /** Of types, as they are imported or named. */
  typeNames: ReadonlySet<string>;
  functions: readonly Written[];
};

const src = fileURLToPath(new URL("../../src/", import.meta.url));

export function sourceFiles(): SourceFile[] {
  const names = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(src, `${entry.parentPath}/${entry.name}`).replaceAll("\\", "/"));
  const ours = names.filter((name) => !name.startsWith("contract/generated/")).sort();
  return ours.map((name) => readSource(name, readFileSync(`${src}${name}`, "utf8")));
}

export function readSource(path: string, text: string): SourceFile {
  const imports: Import[] = [];
  const effects = new Set<string>();
  const typeNames = new Set<string>();
  const functions: Written[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) typeNames.add((node.propertyName ?? node.name).text);
    if (ts.isTypeReferenceNode(node)) typeNames.add(node.typeName.getText());
    if (isFunction(node)) functions.push(writtenAs(node));
    const found = importOf(node);
    if (found) imports.push({ ...found, to: resolved(path, found.to) });
    const effect = effectOf(node);
    if (effect) effects.add(effect);
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, path.endsWith("x") ? ts.ScriptKind.TSX : undefined),
  );
  return { path, text, imports, effects, typeNames, functions };
}

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && "body" in node && node.body !== undefined;

const linesOf = (node: ts.Node): number => node.getText().split("\n").length;

function writtenAs(node: ts.FunctionLikeDeclaration): Written {
  let inside = 0;
  const visit = (child: ts.Node): void => {
    if (isFunction(child)) inside += linesOf(child) - 1;
    else ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  const { parent } = node;
  const name = node.name?.getText() ?? (ts.isVariableDeclaration(parent) ? parent.name.getText() : "a function");
  return { name, lines: linesOf(node) - inside, parameters: node.parameters.length };
}

function resolved(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
}

function importOf(node: ts.Node): Import | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
    const to = (node.moduleSpecifier as ts.StringLiteral).text;
    if (ts.isExportDeclaration(node)) return { to, typeOnly: node.isTypeOnly, names: [] };
    const clause = node.importClause;
    const named = clause?.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings.elements : [];
    const names = named.filter((each) => !each.isTypeOnly).map((each) => (each.propertyName ?? each.name).text);
    const onlyTypes = clause?.isTypeOnly || (named.length > 0 && names.length === 0 && !clause?.name);
    return { to, typeOnly: Boolean(onlyTypes), names };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { to: (node.argument.literal as ts.StringLiteral).text, typeOnly: true, names: [] };
  }
  if (ts.isCallExpression(node) && node.arguments[0] && ts.isStringLiteralLike(node.arguments[0])) {
    const isLoad = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === "require";
    if (isLoad) return { to: node.arguments[0].text, typeOnly: false, names: [] };
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
