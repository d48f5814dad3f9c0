// Formats pages for tools that write an integration: /llms.txt (https://llmstxt.org), and an operation of the annotated
// document as Markdown.

import {
  type Json,
  type Operation,
  operationsOf,
  type Response,
  resolve,
} from "../../../contract/document/document.ts";
import { type Assumption, omitNotes } from "../../../contract/document/notes.ts";
import { type ExampleRequest, listRequests } from "../../../contract/document/requests.ts";
import { withoutUnions } from "../../../contract/document/without-unions.mjs";
import stories from "../../../contract/generated/stories.json" with { type: "json" };
import type { JsonSchema } from "../../../contract/json-schema.ts";
import { suggest } from "../../../platform/nearest.ts";
import { HttpError } from "../errors.ts";
import { readPackagedFile } from "./built-files.ts";
import { formatCurl, formatTokenLines, formatVariable } from "./shell.ts";

export function formatLlmsText(document: Json, base: string): string {
  const { title, summary } = document.info as Record<"title" | "summary", string>;
  const operations = operationsOf(document).map(
    ({ id, method, path, summary: what }) => `- [${id}](/docs/${id}.md): ${method} ${path}: ${what}`,
  );
  return `# ${title} (sandbox)

> ${summary} This is a sandbox of it at ${base}: stateful, with a clock that you move. Nothing in it is real.

- Public API: ${base}/v1, bearer token from POST ${base}/oauth2/token (client credentials; audience ${base})
- Errors are {code, message}; a 400 names every place that is wrong. Each response has the header sandbox-request-id.
- Lists are {next, items}: repeat with cursor=next until next is absent. Money is an integer in the smallest unit.
- The default world, harbour-tours, has readable ids such as evt-tomorrow-evening, bkg-evening, gc-active, exp-canal.
- What the host does, and time, is under ${base}/_sandbox (no token on a loopback address): POST /_sandbox/acts/{act},
  POST /_sandbox/clock/advance {"by": "P1D"}, GET /_sandbox/requests/{id} for what a request met, POST /_sandbox/state/reset.
- Where the service's description is silent, the sandbox assumes something: GET ${base}/_sandbox/assumptions

\`\`\`sh
${formatTokenLines(base).join("\n")}
curl -s "$SANDBOX_URL/v1/bookings?limit=1" -H "Authorization: Bearer $TOKEN"
\`\`\`

## Operations

Each page has parameters, body, answers, errors, assumptions and a command that works.

${operations.join("\n")}

## Whole documents

- [OpenAPI 3.1](${base}/openapi.json): the public API with the overrides of this world, also as ${base}/openapi.yaml
- [Control API](${base}/_sandbox/openapi.json): acts, clock, faults, messages, worlds, snapshots
- [Acts](${base}/_sandbox/acts): every move of the host, with the schema of its input
`;
}

/** Formats an operation. Empty parts are omitted. Throws 404 for an unknown one. */
export function formatOperation(document: Json, id: string, base: string): string {
  const operations = operationsOf(document);
  const operation = operations.find((each) => each.id === id);
  if (!operation) {
    const ids = operations.map((each) => each.id);
    throw new HttpError(404, `There is no operation ${id.slice(0, 60)}.${suggest(id, ids)} /docs lists them.`);
  }
  const requests = listRequests(document);
  const parts = [
    `# ${operation.id}: ${operation.summary}`,
    `\`${operation.method} ${operation.path}\` · ${formatAccess(operation)} · ${operation.maturity}`,
    omitNotes(operation.description),
    formatParameters(operation),
    formatBody(operation, document),
    ...operation.responses.filter(isSuccess).map(formatAnswer),
    formatErrors(operation),
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

function formatErrors({ responses }: Operation): string {
  const lines = responses
    .filter(({ status }) => /^[45]/.test(status))
    .map(({ status, description, examples }) => {
      // An error has another name at the token endpoint (RFC 6749).
      const codes = examples.map(({ value }) => value as { code?: string; error?: string });
      const names = codes.flatMap(({ code, error }) => code ?? error ?? []);
      return [status, [...new Set(names)].map(formatCode).join(", "), description];
    });
  return `## Errors\n\n${formatTable(["status", "code", "when"], lines)}`;
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

interface DocumentedMember {
  path: string;
  type: string;
  required: boolean;
  description: string;
}

/** Bodies of the specification have fewer levels. Recursive schemas end there. */
const MAX_DEPTH = 6;

function listMembers(schema: JsonSchema, document: Json, path = "", depth = 0): DocumentedMember[] {
  const { properties = {}, required = [] } = resolve<JsonSchema>(schema, document);
  if (depth > MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    // Properties next to a reference take precedence over the referenced schema.
    const whole = { ...resolve<JsonSchema>(property, document), ...property };
    const own = `${path}${name}`;
    const items = whole.items && resolve<JsonSchema>(whole.items, document);
    return [
      {
        path: own,
        type: formatType(whole, items),
        required: required.includes(name),
        description: omitNotes(whole.description ?? "").trim(),
      },
      ...(whole.properties ? listMembers(whole, document, `${own}.`, depth + 1) : []),
      ...(items?.properties ? listMembers(items, document, `${own}[].`, depth + 1) : []),
    ];
  });
}

/** Describes a type in words. */
function formatType(schema: JsonSchema, items: JsonSchema | undefined = schema.items): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return `one of ${schema.enum.map((each) => `\`${each}\``).join(", ")}`;
  if (schema.type === "array") return `list of ${items ? formatType(items) : "values"}`;
  const type = [schema.type ?? "value"].flat().join(" or ");
  return schema.format ? `${type} (${schema.format})` : type;
}

/** Reads a scenario of this package, to which the annotated document links. */
export function readScenario(name: string): Buffer {
  const names = Object.keys(stories.titles);
  if (!names.includes(name))
    throw new HttpError(404, `There is no scenario ${name.slice(0, 80)}.${suggest(name, names)}`);
  return readPackagedFile("scenarios", `${name}.yaml`);
}
