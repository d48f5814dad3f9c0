// One operation as Markdown, from the annotated document in force: parameters, body, answers, errors, the assumptions it rests on, and a command
// that works.

import { type Json, type Operation, type Response, resolve } from "../../../contract/document/document.ts";
import { type Assumption, omitNotes } from "../../../contract/document/notes.ts";
import { type ExampleRequest, listRequests } from "../../../contract/document/requests.ts";
import { withoutUnions } from "../../../contract/document/without-unions.mjs";
import { formatType, listMembers } from "./members.ts";
import { formatCurl, formatVariable, TOKEN_LINES } from "./shell.ts";

/** Parts without content are left out. */
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
  return scopes.length === 0 ? "any valid token" : `scope ${scopes.map(code).join(", ")}`;
}

const code = (text: string): string => `\`${text}\``;
// A line break or a bar would end a cell.
const formatCell = (text: string): string => omitNotes(text).replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

function formatTable(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const formatRow = (cells: readonly string[]) => `| ${cells.map(formatCell).join(" | ")} |`;
  return [formatRow(heads), `|${heads.map(() => "---|").join("")}`, ...lines.map(formatRow)].join("\n");
}

function formatParameters({ parameters }: Operation): string {
  if (parameters.length === 0) return "";
  const lines = parameters.map((each) => [
    code(each.name),
    `${each.in}${each.required ? ", required" : ""}`,
    formatType(each.schema),
    each.description,
    each.example === undefined || each.example === "" ? "" : code([each.example].flat().join(",")),
  ]);
  return `## Parameters\n\n${formatTable(["name", "in", "type", "meaning", "example"], lines)}`;
}

function formatBody({ body }: Operation, document: Json): string {
  if (!body) return "";
  const lines = listMembers(body.schema, withoutUnions(document)).map(({ path, type, required, description }) => [
    code(path),
    type,
    required ? "required" : "",
    description,
  ]);
  const examples = body.examples.map(
    ({ summary, value }) => `${summary}:\n\n${formatFence("json", formatJson(value))}`,
  );
  const head = `## Body\n\n${code(body.type)}${body.required ? ", required" : ""}`;
  return [head, formatTable(["member", "type", "", "meaning"], lines), ...examples].join("\n\n");
}

const formatJson = (value: unknown): string => JSON.stringify(value, undefined, 2);
const formatFence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function formatAnswer({ status, description, examples }: Response): string {
  // One is enough to see the form.
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
      // Also those that only the members' texts name.
      const codes = [...new Set([...printed, ...findCodes(texts.join(" "), status)])].map(code);
      return [status, codes.join(", "), description];
    });
  return `## Errors\n\n${formatTable(["status", "code", "when"], lines)}`;
}

/** Those of the token endpoint have the form of RFC 6749. */
function readCode(example: unknown): string | undefined {
  const { code: name, error } = example as { code?: string; error?: string };
  return name ?? error;
}

/** A member says of itself: "is answered with 400 and code `INVALID_ITEM`". */
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
      code(id),
      value === byDefault ? holds : `${holds} (${code(value ?? "")})`,
      others.map((other) => code(other.value)).join(", "),
    ];
  });
  if (lines.length === 0) return "";
  return `## Assumptions\n\nWhat the service's description leaves open, as it is in force here:\n\n${formatTable(["assumption", "holds", "other answers"], lines)}`;
}

/** Of the request, of the success, and of the errors that only this operation has. */
function findAssumptions({ node }: Operation, document: Json): string[] {
  const { responses, ...request } = node;
  const own = Object.entries(responses as Json).filter(
    ([status, each]) => status.startsWith("2") || !Object.hasOwn(each as object, "$ref"),
  );
  const found = new Set<string>();
  // Schemas may name themselves.
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
  // A path parameter may come from the answer to another request, which is sent before.
  const before = first.path.flatMap(({ name, value }) => {
    const source =
      typeof value === "string" ? undefined : requests.find((each) => each.operation.id === value.operation);
    return source && typeof value !== "string" ? [formatVariable({ name }, formatCurl(source), value.member)] : [];
  });
  const token = first.operation.scopes === undefined ? [`SANDBOX_URL=${base}`] : TOKEN_LINES(base);
  // It needs the credentials and no token.
  const needed = id === "createToken" ? TOKEN_LINES(base).slice(0, 1) : token;
  return `## Try it\n\n${formatFence("sh", [...needed, ...before, ...own.map(formatCurl)].join("\n"))}`;
}
