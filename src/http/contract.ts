// The specification as a gatekeeper. Prism's validators are the authority on path, query, headers and body; what they would let
// through, throw at or word badly is handled here. Assumption: violations.
import { validateInput, validateOutput } from "@stoplight/prism-http/dist/validator/index.js";
import type { HttpMethod, IHttpOperation } from "@stoplight/types";
import { MOST_NAMED } from "../domain/refusal.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange, Violation } from "./exchange.ts";
import { bodyTypeOf, parametersOf } from "./parameters.ts";
import { type Diagnostic, worded } from "./violation.ts";

const ERROR = 0;
/** Keywords whose own message only repeats that something inside them failed. */
const ECHOES = ["if", "propertyNames"];

/** What is wrong with an answer; an undocumented success is, even where a `default` would take it. */
export function faultsOfAnswer(operation: IHttpOperation, answer: Answer): string[] {
  const documented = operation.responses.some(({ code }) => code === String(answer.status));
  if (!documented && answer.status < 400) return [`status ${answer.status} is not documented`];
  if (answer.status === 204) return answer.body === undefined ? [] : ["a 204 has no body"];
  const headers = { "content-type": "application/json", ...answer.headers };
  const element = { statusCode: answer.status, headers, body: answer.body };
  const verdict = validateOutput({ resource: operation, element: element as never });
  return diagnosticsOf(verdict).map(({ message }) => message);
}

/** The places where a request does not fit, in words, and how many there are in all. */
export function violationsOf(exchange: Exchange, resource: IHttpOperation): { violations: Violation[]; count: number } {
  const element = {
    method: exchange.method.toLowerCase() as HttpMethod,
    url: { path: plainPath(exchange, resource), query: exchange.query as Record<string, string> },
    headers: plainHeaders(exchange, resource),
    body: exchange.body,
  };
  const names = (["query", "path", "headers"] as const).flatMap((place) =>
    parametersOf(resource, place).map(({ name }) => name),
  );
  try {
    const diagnostics = diagnosticsOf(validateInput({ resource, element }));
    const telling = diagnostics.filter(({ code }) => !ECHOES.includes(String(code)));
    const named = telling.slice(0, MOST_NAMED);
    return { violations: named.map((each) => worded(each, exchange, names)), count: telling.length };
  } catch (reason) {
    const why = (reason as Error).message.slice(0, 200);
    throw new HttpError(400, `The request can't be read: ${why}. Compare it with the specification at /openapi.json.`);
  }
}

/** Prism's template takes no other characters for a value; our router has decoded it already. */
function plainPath({ path, params }: Exchange, { path: template }: IHttpOperation): string {
  if (/^[\w/.-]*$/.test(path)) return path;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => plain(params[name] ?? ""));
}

const plain = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/**
 * The content type was checked with the body; Prism would throw at a broken one, and take a wrong one on a chunked body. A body
 * that an operation does not have is ignored, so Prism need not hear of it.
 */
function plainHeaders(exchange: Exchange, resource: IHttpOperation): Record<string, string> {
  const { "content-type": type, "content-length": length, ...headers } = exchange.headers as Record<string, string>;
  const wanted = bodyTypeOf(resource);
  if (wanted === undefined) return headers;
  return {
    ...headers,
    ...(length === undefined ? {} : { "content-length": length }),
    ...(type === undefined ? {} : { "content-type": wanted }),
  };
}

function diagnosticsOf(verdict: unknown): Diagnostic[] {
  // Prism's Either, taken apart without the library that made it.
  const { _tag, left } = verdict as { _tag: "Left" | "Right"; left: Diagnostic[] };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR) : [];
}
