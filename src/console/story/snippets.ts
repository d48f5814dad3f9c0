// A request or an act of the log as something to paste: into a shell, a test, a scenario. No token and no secret is in it.

import { quoted } from "../../platform/shell-quoted.ts";
import type { Entry, Parts } from "../entries.ts";

interface Template {
  method: string;
  path: string;
}

interface Call {
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  code: string | null;
  request?: Parts;
}

/** Headers that change what is answered. */
const OWN = new Set(["content-type", "accept-language", "idempotency-key", "sandbox-test"]);

/** Those that somebody chose; the rest is of every client. */
export const ownHeaders = ({ headers = {} }: Partial<Parts>): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => OWN.has(name.toLowerCase()))
    .map(([name, value]) => [name, [value].flat().join(", ")]);

const textOf = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
const hasBody = ({ body }: Partial<Parts>): boolean => body !== null && body !== undefined;

/** Path and query. */
export function targetOf({ path, request }: Call): string {
  const search = new URLSearchParams(
    Object.entries(request?.query ?? {}).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  ).toString();
  return path.includes("?") || search === "" ? path : `${path}?${search}`;
}

/** `env` gives the address and the client; `sandbox token` gives the token. */
export function curlOf(call: Call): string {
  const request = call.request ?? {};
  const words = [
    `curl -s${call.method === "GET" ? "" : ` -X ${call.method}`} "$SANDBOX_URL"${quoted(targetOf(call))}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...ownHeaders(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(hasBody(request) ? [`-d ${quoted(textOf((request as Parts).body))}`] : []),
  ];
  return words.join(" \\\n  ");
}

/** A test that expects the same answer, so that it fails when that changes. */
export function testOf(call: Call): string {
  const request = call.request ?? {};
  const headers = Object.fromEntries([["authorization", "Bearer TOKEN"], ...ownHeaders(request)]);
  // The token is a variable there, and no text.
  const headersText = JSON.stringify(headers).replace('"Bearer TOKEN"', `\`Bearer \${token}\``);
  const body = hasBody(request) ? `\n  body: JSON.stringify(${indented((request as Parts).body)}),` : "";
  return `const { default: assert } = await import("node:assert/strict");
const token = await world.token();
const response = await fetch(\`\${world.url}${targetOf(call).replaceAll("`", "\\`")}\`, {
  method: ${JSON.stringify(call.method)},
  headers: ${headersText},${body}
});
${expectationOf(call)}`;
}

/** The answer of that time: the status, and of a refusal its code. */
function expectationOf({ status, code }: Call): string {
  if (status === null) return "// Its answer was lost.";
  const coded = code ? `\nassert.equal((await response.json()).code, ${JSON.stringify(code)});` : "";
  return `assert.equal(response.status, ${status});${coded}`;
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

/** One step; its input is JSON, which YAML reads too. */
export function stepOf(entry: Entry, template: Template | undefined): string {
  if (entry.kind === "act") return `  - act: ${entry.act}\n    with: ${JSON.stringify(entry.input ?? {})}\n`;
  if (entry.kind === "clock") return `  - advance: ${entry.to}\n`;
  if (entry.kind !== "request") return "";
  const { body, query = {} } = entry.request ?? {};
  // A body that is no object has no names for a step.
  const members = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  const input = { ...idsOf(entry.path, template), ...query, ...members };
  const given = Object.keys(input).length > 0 ? `\n    with: ${JSON.stringify(input)}` : "";
  return `  - call: ${entry.operation}${given}\n    expect: { status: ${entry.status} }\n`;
}

/** The path parameters, by their names in the specification. */
export function idsOf(path: string, template: Template | undefined): Record<string, string> {
  const given = path.split("?")[0]?.split("/") ?? [];
  const names = template?.path.split("/") ?? [];
  return Object.fromEntries(
    names.flatMap((name, index) =>
      name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(given[index] ?? "")]] : [],
    ),
  );
}

/** On a command line of `sandbox`. */
export const actOf = (name: string, input: unknown): string =>
  `npx experience-sandbox act ${name} --data ${quoted(JSON.stringify(input ?? {}))}`;
