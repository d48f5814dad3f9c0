// A logged request as people see it: secrets are redacted, ignored names are noted.
import type { RequestBrief } from "../app/application.ts";
import { type Exchange, header } from "./exchange.ts";
import { unknownNames } from "./undocumented.ts";

interface Logged {
  exchange: Exchange;
  /** The text of the answer's body; undefined where none was sent. */
  sent: string | undefined;
  status: number | null;
  duration_ms: number;
}

export function showRequest({ exchange, sent, status, duration_ms }: Logged, messages: readonly string[]): object {
  const { headers, raw } = exchange;
  const body = readable(raw, header(exchange, "content-type"));
  return {
    id: exchange.id,
    at: exchange.at,
    world: exchange.world?.id ?? "default",
    client_id: exchange.key?.id ?? null,
    ...(exchange.scopes ? { scopes: exchange.scopes } : {}),
    method: exchange.method,
    path: exchange.path,
    operation: exchange.route?.id ?? null,
    status,
    duration_ms,
    violations: exchange.violations,
    notes: notesOf(exchange),
    request: { headers: redactedHeaders(headers), query: redacted(exchange.query), body: redacted(body) },
    answer: status === null ? null : { headers: exchange.answer?.headers ?? {}, body: redacted(parsed(sent)) },
    facts: exchange.facts,
    messages,
  };
}

/** For a line as it happens: this is made for every request, so it parses error bodies only. */
export function briefRequest({ exchange, sent, status, duration_ms }: Logged): RequestBrief {
  const { id, at, method, path, route, facts, headers } = exchange;
  const { code, message } = status === null || status >= 400 ? reasonIn(sent) : {};
  const reason = status === null ? "a fault broke the connection" : `${code ?? ""} ${message ?? ""}`.trim();
  const userAgent = String(headers["user-agent"] ?? "");
  return { id, at, method, path, operation: route?.id ?? null, status, duration_ms, reason, facts, userAgent };
}

/** The code and the sentence of an error response, also of one of the token endpoint. */
export function reasonIn(sent: string | undefined): { code?: string; message?: string } {
  const body = parsed(sent);
  if (typeof body !== "object" || body === null) return {};
  const { code, message, error, error_description } = body as Record<string, unknown>;
  return { code: String(code ?? error ?? ""), message: String(message ?? error_description ?? "") };
}

function notesOf(exchange: Exchange): string[] {
  const trouble = exchange.trouble === undefined ? [] : [`Internal error: ${exchange.trouble}`];
  if (!exchange.route) return trouble;
  const { query, body } = unknownNames(exchange, exchange.route.operation);
  return [
    ...trouble,
    ...query.map(([, name]) => `The query parameter ${name} is not documented and was ignored.`),
    ...body.map((place) => `${place.join(".")} is not documented and was ignored.`),
    ...(hasNoPhone(exchange) ? [NO_PHONE] : []),
  ];
}

const NO_PHONE =
  "body.customer.phone is missing. The service may require it (assumption booking-customer-required); send one to be safe.";

function hasNoPhone({ route, answer, body }: Exchange): boolean {
  const { customer } = (body ?? {}) as { customer?: { phone?: string } };
  return route?.id === "createBooking" && answer !== undefined && answer.status < 300 && !customer?.phone;
}

const SECRET_HEADERS = /^(authorization|cookie|proxy-authorization)$/;
const SECRET_MEMBERS = /^(client_secret|access_token|secret|password)$/i;
/** The same in text that is neither JSON nor a form. */
const SECRET_TEXT = /((?:client_secret|access_token|secret|password)["']?\s*[=:]\s*["']?)[^&"'\s,}]+/gi;
export const REDACTED = "[redacted]";

function redactedHeaders(headers: Exchange["headers"]): Record<string, string | string[]> {
  const shown = Object.entries(headers).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined);
  return Object.fromEntries(shown.map(([name, value]) => [name, SECRET_HEADERS.test(name) ? REDACTED : value]));
}

function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replace(SECRET_TEXT, `$1${REDACTED}`);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, SECRET_MEMBERS.test(name) ? REDACTED : redacted(member)]),
  );
}

function readable(raw: Buffer | undefined, type: string | undefined): unknown {
  if (!raw || raw.length === 0) return null;
  const text = raw.toString("utf8");
  return type?.includes("form-urlencoded") ? Object.fromEntries(new URLSearchParams(text)) : parsed(text);
}

export function parsed(text: string | undefined): unknown {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
