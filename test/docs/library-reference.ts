// The reference of the library, made from the declarations that importers see: each interface with its members and what is said of them.
import { fileURLToPath } from "node:url";
import ts from "typescript";

const FILES = [
  "src/index.ts",
  "src/library/remote-sandbox.ts",
  "src/library/types.ts",
  "src/library/errors.ts",
  "src/client/sandbox-error.ts",
  "src/client/reconcile.ts",
];
const VIEW = [
  "startSandbox",
  "StartOptions",
  "Sandbox",
  "MountedSandbox",
  "SandboxRouter",
  "WorldOptions",
  "World",
  "Kind",
  "Operation",
  "Scope",
  "Duration",
  "Moment",
  "Message",
  "Awaiting",
  "Fault",
  "Moved",
  "RequestFilter",
  "LogFilter",
  "ResendFilter",
  "ResendOptions",
  "RecordOptions",
  "WorldRecording",
  "RecordedStory",
  "BookSpan",
  "OwnPosting",
  "Reconciled",
  "PopulateOptions",
  "Credentials",
  "SandboxError",
  "TimeoutError",
  "NoMessageError",
  "ClosedError",
  "DataError",
  "UnreachableError",
];

export function libraryReference(): string {
  const statements = FILES.flatMap((file) => {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
    const source = ts.createSourceFile(path, ts.sys.readFile(path) ?? "", ts.ScriptTarget.ESNext, true);
    return [...source.statements];
  });
  const sections = VIEW.map((name) => {
    const found = statements.filter((statement) => nameOf(statement) === name);
    if (found.length === 0) throw new Error(`the library does not declare ${name}`);
    return sectionOf(name, found);
  });
  const aliases = statements.filter(isControlSchema).map(declarationOf);
  return [
    ...sections,
    `## Types of the control API\n\nThe [control API](control-api.md) describes their members.\n\n\`\`\`ts\n${aliases.join("\n")}\n\`\`\`\n`,
  ].join("\n");
}

const isControlSchema = (node: ts.Statement): boolean =>
  ts.isTypeAliasDeclaration(node) && /^Schemas\["\w+"\]$/.test(node.type.getText());

function nameOf(node: ts.Statement): string | undefined {
  const declares =
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node);
  return declares ? node.name?.text : undefined;
}

/** A function that is overloaded is declared once for each way to call it, and once more with its body, which nobody calls. */
function sectionOf(name: string, found: readonly ts.Statement[]): string {
  const called = found.length === 1 ? found : found.filter((node) => !ts.isFunctionDeclaration(node) || !node.body);
  const shapes = called.map((node) => (ts.isFunctionDeclaration(node) ? signatureOf(node) : declarationOf(node)));
  return `## ${name}\n\n${message(found[0] as ts.Statement)}\`\`\`ts\n${shapes.join("\n")}\n\`\`\`\n`;
}

const message = (node: ts.Node): string => {
  const words = ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => (typeof comment === "string" ? comment.replaceAll("\n", " ") : ""))
    .join(" ");
  return words ? `${words}\n\n` : "";
};

function signatureOf({ name, parameters, type }: ts.FunctionDeclaration): string {
  const given = parameters.map((each) => {
    const mark = each.initializer || each.questionToken ? "?" : "";
    return `${each.name.getText()}${mark}: ${each.type?.getText()}`;
  });
  return `function ${name?.text}(${given.join(", ")}): ${type?.getText()};`;
}

/** Comments of linters and constructors are left out. */
function declarationOf(node: ts.Statement): string {
  const lines = node
    .getText()
    .replace(/^export /, "")
    .split("\n");
  return lines
    .filter((line) => !line.includes("biome-ignore"))
    .join("\n")
    .replace(/\n {2}constructor\([\s\S]*?\n {2}\}/, "");
}
