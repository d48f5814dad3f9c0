// Formats an operation of the annotated document as Markdown: parameters, body, responses, errors, assumptions, and a working command.

import { type Json, type Operation, type Response, resolve } from "../../../contract/document/document.ts";
import { type Assumption, omitNotes } from "../../../contract/document/notes.ts";
import { type ExampleRequest, listRequests } from "../../../contract/document/requests.ts";
import { withoutUnions } from "../../../contract/document/without-unions.mjs";
import { formatType, listMembers } from "./members.ts";
import { formatCurl, formatTokenLines, formatVariable } from "./shell.ts";

/** Formats an operation. Empty parts are omitted. */
export function formatOperation(document: Json, operation: Operation, base: string): string {
  const requests = listRequests(document);
  const parts = [
    `# ${operation.id}: ${operation.summary}`,
    `\`${operation.method} ${operation.path}\` · ${formatAccess(operation)} · ${operation.maturity}`,
    omitNotes(operation.description),
    formatParameters(operation),
    formatBody(operation, document),
    ...operation.responses.filter(isSuccess).map(formatAnswer),
    formatErrors(operation, document),
    formatAssumptions(operation, document),
    formatCommands(operation, requests, base),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const isSuccess = ({ status }: Response): boolean => status.startsWith("2");

function formatAccess({ scopes }: Operation): string {
  if (scopes === undefined) return "no token";
  return scopes.length === 0 ? "any valid token" : `scope ${scopes.map(formatCode).join(", ")}`;
}

const formatCode = (text: string): string => `\`${text}\``;
// Line breaks and bars would end a cell.
const formatCell = (text: string): string => omitNotes(text).replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

function formatTable(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const formatRow = (cells: readonly string[]) => `| ${cells.map(formatCell).join(" | ")} |`;
  return [formatRow(heads), `|${heads.map(() => "---|").join("")}`, ...lines.map(formatRow)].join("\n");
}

function formatParameters({ parameters }: Operation): string {
  if (parameters.length === 0) return "";
  const lines = parameters.map((each) => [
    formatCode(each.name),
    `${each.in}${each.required ? ", required" : ""}`,
    formatType(each.schema),
    each.description,
    each.example === undefined || each.example === "" ? "" : formatCode([each.example].flat().join(",")),
  ]);
  return `## Parameters\n\n${formatTable(["name", "in", "type", "meaning", "example"], lines)}`;
}

function formatBody({ body }: Operation, document: Json): string {
  if (!body) return "";
  const lines = listMembers(body.schema, withoutUnions(document)).map(({ path, type, required, description }) => [
    formatCode(path),
    type,
    required ? "required" : "",
    description,
  ]);
  const examples = body.examples.map(
    ({ summary, value }) => `${summary}:\n\n${formatFence("json", formatJson(value))}`,
  );
  const head = `## Body\n\n${formatCode(body.type)}${body.required ? ", required" : ""}`;
  return [head, formatTable(["member", "type", "", "meaning"], lines), ...examples].join("\n\n");
}

const formatJson = (value: unknown): string => JSON.stringify(value, undefined, 2);
const formatFence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function formatAnswer({ status, description, examples }: Response): string {
  // The first example is enough to show the format.
  const [first] = examples;
  return [
    `## Answer ${status}`,
    omitNotes(description),
    ...(first ? [formatFence("json", formatJson(first.value))] : []),
  ].join("\n\n");
}

function formatErrors({ responses, body }: Operation, document: Json): string {
  const texts = body ? listMembers(body.schema, withoutUnions(document)).map(({ description }) => description) : [];
  const lines = responses
    .filter(({ status }) => /^[45]/.test(status))
    .map(({ status, description, examples }) => {
      const printed = examples.map(({ value }) => readCode(value)).filter((each) => each !== undefined);
      // The descriptions of fields name further codes.
      const codes = [...new Set([...printed, ...findCodes(texts.join(" "), status)])].map(formatCode);
      return [status, codes.join(", "), description];
    });
  return `## Errors\n\n${formatTable(["status", "code", "when"], lines)}`;
}

/** Reads the code of an error, which has another name at the token endpoint (RFC 6749). */
function readCode(example: unknown): string | undefined {
  const { code: name, error } = example as { code?: string; error?: string };
  return name ?? error;
}

/** Finds codes in descriptions of fields: "is answered with 400 and code `INVALID_ITEM`". */
function findCodes(text: string, status: string): string[] {
  return [...text.matchAll(/(\d{3})\s+and\s+code\s+`(\w+)`/g)].flatMap(([, of, name]) =>
    of === status && name ? [name] : [],
  );
}

function formatAssumptions(operation: Operation, document: Json): string {
  const register = new Map((document["x-assumptions"] as Assumption[]).map((entry) => [entry.id, entry]));
  const lines = findAssumptions(operation, document).map((id) => {
    const { holds = "", value, default: byDefault, others = [] } = register.get(id) ?? {};
    return [
      formatCode(id),
      value === byDefault ? holds : `${holds} (${formatCode(value ?? "")})`,
      others.map((other) => formatCode(other.value)).join(", "),
    ];
  });
  if (lines.length === 0) return "";
  return `## Assumptions\n\nWhat the API description doesn't say, with the values of this world:\n\n${formatTable(["assumption", "holds", "other answers"], lines)}`;
}

/** Finds the assumptions of the request, of the successful responses, and of the operation's own errors. */
function findAssumptions({ node }: Operation, document: Json): string[] {
  const { responses, ...request } = node;
  const own = Object.entries(responses as Json).filter(
    ([status, each]) => status.startsWith("2") || !Object.hasOwn(each as object, "$ref"),
  );
  const found = new Set<string>();
  // Schemas may be recursive.
  const seen = new Set<unknown>();
  const walk = (part: unknown): void => {
    const there = resolve<unknown>(part, document);
    if (typeof there !== "object" || there === null || seen.has(there)) return;
    seen.add(there);
    for (const id of [(there as Json)["x-assumption"] ?? []].flat()) found.add(String(id));
    for (const each of Object.values(there)) walk(each);
  };
  walk(request);
  walk(Object.fromEntries(own));
  return [...found];
}

function formatCommands({ id }: Operation, requests: readonly ExampleRequest[], base: string): string {
  const own = requests.filter(({ operation }) => operation.id === id);
  const [first] = own;
  if (!first) return "";
  // A path parameter may be from the response of another request, which is sent first.
  const before = first.path.flatMap(({ name, value }) => {
    const source =
      typeof value === "string" ? undefined : requests.find((each) => each.operation.id === value.operation);
    return source && typeof value !== "string" ? [formatVariable({ name }, formatCurl(source), value.member)] : [];
  });
  const token = first.operation.scopes === undefined ? [`SANDBOX_URL=${base}`] : formatTokenLines(base);
  // The token request needs the credentials and no token.
  const needed = id === "createToken" ? formatTokenLines(base).slice(0, 1) : token;
  return `## Try it\n\n${formatFence("sh", [...needed, ...before, ...own.map(formatCurl)].join("\n"))}`;
}
