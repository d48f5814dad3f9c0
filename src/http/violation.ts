// What Prism says of a request, in our words: the place first, what was expected, what came. Assumption: violations.
import type { Exchange, Violation } from "./exchange.ts";

export type Diagnostic = {
  severity: number;
  code?: string | number;
  path?: readonly (string | number)[];
  message: string;
};

const LONGEST_NAME = 80;

/** `names`: how the specification spells the names of parameters, which Prism lowers. */
export function worded(
  { code, path = [], message }: Diagnostic,
  exchange: Exchange,
  names: readonly string[],
): Violation {
  const missing = /required property '(.*)'$/s.exec(message)?.[1];
  const parts = [...path.map((part) => unescaped(String(part))), ...(missing === undefined ? [] : [missing])];
  const value = valueAt(exchange, parts);
  const place = parts.map((part, depth) => (depth === 1 && parts[0] !== "body" ? spelled(part, names) : cut(part)));
  const location = place.length > 0 ? place : ["body"];
  const isMissing = missing !== undefined || code === "required";
  const expected = isMissing ? "is required" : cut(/\b(must .*)$/s.exec(message)?.[1] ?? message, 300);
  const came = isMissing ? "" : `; it is ${shortened(value)}`;
  const text = isAboutKey(code, value)
    ? `${location.join(".")}: a key ${expected}.`
    : `${location.join(".")} ${expected}${came}.`;
  return { location, code: String(code ?? ""), message: text, severity: "Error" };
}

/** A rule for texts that an object breaks is one for its keys. */
function isAboutKey(code: string | number | undefined, value: unknown): boolean {
  return typeof value === "object" && value !== null && ["maxLength", "minLength", "pattern"].includes(String(code));
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
const cut = (text: string, most = LONGEST_NAME): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function spelled(name: string, names: readonly string[]): string {
  return names.find((known) => known.toLowerCase() === name.toLowerCase()) ?? cut(name);
}

function valueAt(exchange: Exchange, [place = "", ...names]: readonly string[]): unknown {
  const { body, query, params, headers } = exchange;
  const root = { body, query: lowered(query), path: lowered(params), header: headers }[place];
  return names.reduce<unknown>(memberOf, root);
}

const lowered = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name.toLowerCase(), value]));

/** Also of a list that came as `A,B`. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value === "string") return value.split(",")[Number(name)];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

export function shortened(value: unknown): string {
  return value === undefined ? "missing" : cut(JSON.stringify(value), 60);
}
