// A logged request as people see it: secrets are redacted, ignored names are noted.
import { REDACTED } from "../../platform/redacted.ts";
import { type LogView, MOST_LISTED } from "../app/application.ts";
import { type Fact, MAX_LISTED } from "../domain/kernel/facts.ts";
import { hashOf, SECRET_FORMS } from "../world/state/credential.ts";
import { type Exchange, header } from "./exchange.ts";
import { bearerIn } from "./identify.ts";
import { unknownNames } from "./undocumented.ts";

/** A body that was sent; undefined where none was. */
export type SentBody = string | Buffer | undefined;

/** What only the whole view has. */
export function showParts(exchange: Exchange, sent: SentBody, status: number | null): object {
  const body = readable(exchange.raw, header(exchange, "content-type"));
  return {
    violations: redacted(exchange.violations),
    notes: redacted(notesOf(exchange)),
    scopes: exchange.scopes ?? null,
    bearer_mark: bearerMark(exchange),
    request: { headers: redactedHeaders(exchange.headers), query: redacted(exchange.query), body: redacted(body) },
    answer: status === null ? null : redacted({ headers: exchange.answer?.headers ?? {}, body: parsed(textOf(sent)) }),
  };
}

/** Tells tokens apart without telling them. */
function bearerMark(exchange: Exchange): string | null {
  const token = bearerIn(header(exchange, "authorization")?.trim() ?? "");
  return token === undefined ? null : hashOf(token).slice(0, 12);
}

interface ListedRequest {
  facts: readonly Fact[];
  messages: readonly string[];
  /** Of the path. */
  ids: readonly string[];
  /** What names records too. */
  bodies: readonly SentBody[];
}

/** What it changed, caused and named, with numbers, since a view lists only the first. */
export function listed({ facts, messages, ids, bodies }: ListedRequest, view: LogView): object {
  const most = view === "full" ? MAX_LISTED : MOST_LISTED;
  return {
    facts: facts.slice(0, most),
    fact_count: facts.length,
    messages: messages.slice(0, most),
    message_count: messages.length,
    touched: firstOf(most, [...facts.map(({ id }) => id), ...ids], bodies).map(redactedText),
  };
}

/** In the text, which is cheaper than parsing a long body for a list. */
const ID_MEMBER = /"(?:\w+_)?id":\s*"([^"\\]{1,100})"/g;

/** Each id once; in a body those of members called `id`, or whose names end so. */
function firstOf(most: number, ids: readonly string[], bodies: readonly SentBody[]): string[] {
  const found = new Set(ids.slice(0, most));
  for (const body of bodies) {
    if (body === undefined) continue;
    for (const [, id = ""] of body.toString().matchAll(ID_MEMBER)) {
      if (found.size >= most) break;
      found.add(id);
    }
  }
  return [...found];
}

export const textOf = (body: SentBody): string | undefined => body?.toString();

/** The code and the sentence of an error response, also of one of the token endpoint. */
export function reasonIn(sent: SentBody): { code?: string; message?: string } {
  const body = parsed(textOf(sent));
  if (typeof body !== "object" || body === null) return {};
  const { code, message, error, error_description } = body as Record<string, unknown>;
  return { code: String(code ?? error ?? ""), message: redactedText(String(message ?? error_description ?? "")) };
}

function notesOf(exchange: Exchange): string[] {
  const trouble = exchange.trouble === undefined ? [] : [`Internal error: ${exchange.trouble}`];
  if (!exchange.route) return trouble;
  const { query, body } = unknownNames(exchange, exchange.route.operation);
  return [
    ...trouble,
    ...query.map(([, name]) => `The query parameter ${name} is not documented and was ignored.`),
    ...body.map((path) => `${path.join(".")} is not documented and was ignored.`),
    ...(hasNoPhone(exchange) ? [NO_PHONE] : []),
  ];
}

const NO_PHONE =
  "body.customer.phone is missing. The service may require it (assumption booking-customer-required); send one to be safe.";

function hasNoPhone({ route, answer, body }: Exchange): boolean {
  const { customer } = (body ?? {}) as { customer?: { phone?: string } };
  return route?.id === "createBooking" && answer !== undefined && answer.status < 300 && !customer?.phone;
}

/** Never shown, not even to the operator. */
const SECRET_HEADERS = /^(authorization|cookie|proxy-authorization)$/;
const SECRET_MEMBERS = /^(client_secret|access_token|secret|password)$/i;
/** The same in text that is neither JSON nor a form. */
const SECRET_TEXT = /((?:client_secret|access_token|secret|password)["']?\s*[=:]\s*["']?)[^&"'\s,}]+/gi;

export function redactedHeaders(headers: Exchange["headers"]): Record<string, string | string[]> {
  const pairs = Object.entries(headers).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, SECRET_HEADERS.test(name) ? REDACTED : (redacted(value) as typeof value)]),
  );
}

/** A copy without secrets, at any depth: by the name of a member, and by the form of a value or a name. */
export function redacted(value: unknown): unknown {
  if (typeof value === "string") return redactedText(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [redactedText(name), SECRET_MEMBERS.test(name) ? REDACTED : redacted(member)]),
  );
}

export const redactedText = (text: string): string =>
  text.replace(SECRET_TEXT, `$1${REDACTED}`).replace(SECRET_FORMS, REDACTED);

/** As JSON or a form; text that is neither stays text. */
export function readable(raw: Buffer | string | undefined, type: string | undefined): unknown {
  if (!raw || raw.length === 0) return null;
  const text = raw.toString("utf8");
  return type?.includes("form-urlencoded") ? Object.fromEntries(new URLSearchParams(text)) : parsed(text);
}

/** Null for an empty body. */
export function parsed(text: string | undefined): unknown {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
