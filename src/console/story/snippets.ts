// Formats a logged request or act as a shell command or a test. Snippets contain no tokens or secrets.

import { isObject } from "../../platform/json.ts";
import { quote } from "../../platform/shell-quoted.ts";
import type { ActEntry, RequestEntry } from "../entries.ts";
import { formatInputCommand } from "../forms/form-model.ts";
import { formatTarget, listRelevantHeaders } from "./sent-request.ts";

/** Returns the body, or null. The service ignores bodies of GET and HEAD, which few clients can send. */
const getBody = ({ method, request }: RequestEntry): unknown =>
  method === "GET" || method === "HEAD" ? null : (request?.body ?? null);

/** Returns true for a form body, whose fields the log stores as an object. */
const isForm = (entry: RequestEntry): boolean =>
  isObject(getBody(entry)) && String(entry.request?.headers["content-type"]).includes("form-urlencoded");

/**
 * Classifies the credential. `basic`: client id and secret of a token request. `bad`: a token that the service
 * rejected.
 */
function classifyCredential({ operation, status, request }: RequestEntry): "none" | "basic" | "bad" | "good" {
  // The log does not contain the value of the header.
  if (request?.headers.authorization === undefined) return "none";
  if (operation === "createToken") return "basic";
  return status === 401 ? "bad" : "good";
}

/**
 * Returns true for a field of a token request whose value differs in every world. Rejected values are sent unchanged.
 */
function isWorldSpecific(name: string, { operation, status, request }: RequestEntry): boolean {
  if (operation !== "createToken") return false;
  if (name === "client_id" || name === "client_secret") return status !== 401;
  const audience = isObject(request?.body) ? String(request.body.audience) : "";
  return name === "audience" && ((status ?? 0) < 400 || audience.includes(String(request?.headers.host)));
}

/** Lists the faults that the request hit, each armed for one request of any client. */
const listFaultsHit = ({ faults }: RequestEntry): object[] =>
  faults.flatMap(({ fault }) => {
    const { name: _, skip: __, share: ___, seed: ____, client_id: _____, ...rest } = fault ?? {};
    return fault ? [{ ...rest, times: 1 }] : [];
  });

/** Values that differ in every world, in a shell after `sandbox env` and in a test. */
const WORLD_VALUES: Readonly<Record<string, { shell: string; test: string }>> = {
  audience: { shell: "$SANDBOX_URL", test: "world.url" },
  client_id: { shell: "$SANDBOX_CLIENT_ID", test: "world.credentials.clientId" },
  client_secret: { shell: "$SANDBOX_CLIENT_SECRET", test: "world.credentials.clientSecret" },
};

/** The value of the `Authorization` header, or an option of curl. */
const CREDENTIALS: Readonly<Record<ReturnType<typeof classifyCredential>, { shell?: string; test?: string }>> = {
  none: {},
  basic: {
    shell: '-u "$SANDBOX_CLIENT_ID:$SANDBOX_CLIENT_SECRET"',
    test: `"Basic " + btoa(\`\${world.credentials.clientId}:\${world.credentials.clientSecret}\`)`,
  },
  bad: { shell: '-H "Authorization: Bearer not-a-token"', test: '"Bearer not-a-token"' },
  good: { shell: '-H "Authorization: Bearer $TOKEN"', test: `\`Bearer \${await world.token()}\`` },
};

const formatBody = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));

/** Formats a curl command. `sandbox env` prints the address and the client; $TOKEN is a token of the client. */
export function formatCurl(entry: RequestEntry): string {
  const { method } = entry;
  const target = formatTarget(entry);
  const headers = listRelevantHeaders(entry);
  const data = formatDataOptions(entry);
  const verb = method === "GET" ? [] : [method === "HEAD" ? "--head" : `-X ${method}`];
  // The empty header stops curl from declaring the body a form.
  const untyped = data.length > 0 && !headers.some(([name]) => name === "content-type") ? ["-H 'content-type:'"] : [];
  return [
    // curl would read brackets and braces as a range of addresses.
    ["curl -s", ...(/[[\]{}]/.test(target) ? ["-g"] : []), ...verb, `"$SANDBOX_URL"${quote(target)}`].join(" "),
    ...[CREDENTIALS[classifyCredential(entry)].shell ?? []].flat(),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...untyped,
    ...data,
  ].join(" \\\n  ");
}

function formatDataOptions(entry: RequestEntry): string[] {
  const body = getBody(entry);
  if (body === null) return [];
  // The option -d would read a text that begins with @ as a file name.
  if (!isForm(entry) || !isObject(body)) return [`--data-raw ${quote(formatBody(body))}`];
  return Object.entries(body).map(([name, value]) => {
    if (isWorldSpecific(name, entry)) return `--data-urlencode "${name}=${WORLD_VALUES[name]?.shell}"`;
    return `--data-urlencode ${quote(`${encodeURIComponent(name)}=${value}`)}`;
  });
}

/** Formats a test that expects the same response. */
export function formatTest(entry: RequestEntry): string {
  const { method, status } = entry;
  const credential = CREDENTIALS[classifyCredential(entry)].test;
  const headers = [
    ...(credential ? [`"authorization": ${credential}`] : []),
    ...listRelevantHeaders(entry).map((header) => header.map((part) => JSON.stringify(part)).join(": ")),
  ];
  const body = formatBodySource(entry);
  const lines = [
    `method: ${JSON.stringify(method)}`,
    ...(headers.length > 0 ? [`headers: { ${headers.join(", ")} }`] : []),
    ...(body ? [`body: ${body}`] : []),
  ];
  const target = formatTarget(entry).replaceAll(/[`\\]|\$\{/g, "\\$&");
  const request = `fetch(\`\${world.url}${target}\`, {\n${lines.map((line) => `  ${line},\n`).join("")}})`;
  return [
    'const { default: assert } = await import("node:assert/strict");',
    ...listFaultsHit(entry).map((fault) => `await world.faults.arm(${JSON.stringify(fault)});`),
    // The response of this request was lost.
    ...(status === null ? [`await assert.rejects(${request});`] : [`const response = await ${request};`]),
    ...formatExpectations(entry),
  ].join("\n");
}

function formatBodySource(entry: RequestEntry): string {
  const body = getBody(entry);
  if (body === null) return "";
  if (isForm(entry) && isObject(body)) {
    const members = Object.entries(body).map(
      ([name, value]) =>
        `    ${JSON.stringify(name)}: ${isWorldSpecific(name, entry) ? WORLD_VALUES[name]?.test : JSON.stringify(value)},\n`,
    );
    return `new URLSearchParams({\n${members.join("")}  })`;
  }
  if (typeof body === "string") return JSON.stringify(body);
  return `JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")})`;
}

/** Formats assertions on the status, and on the error code of a rejection. */
function formatExpectations({ method, operation, status, code }: RequestEntry): string[] {
  if (status === null) return [];
  const member = operation === "createToken" ? "error" : "code";
  const coded = `assert.equal((await response.json()).${member}, ${JSON.stringify(code)});`;
  // A response to HEAD has no body.
  return [`assert.equal(response.status, ${status});`, ...(code && method !== "HEAD" ? [coded] : [])];
}

/** Formats the `sandbox` command that performs the act, or the trigger of an event kind. */
export function formatActCommand({ act, input, world }: ActEntry): string {
  const isTrigger = act.startsWith("trigger ");
  const given = isTrigger && isObject(input) ? input.set : input;
  return formatInputCommand(isTrigger ? act : `act ${act}`, isObject(given) ? given : {}, world);
}
