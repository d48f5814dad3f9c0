// Removes secrets from log entries before they are appended, because users share data files.
import { parseJson } from "../../platform/json.ts";
import { REDACTED } from "../../platform/redacted.ts";
import { SECRET_FORMS } from "../world/state/credential.ts";

const SECRET_HEADERS = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);
const SECRET_FIELDS = /^(client_secret|access_token|secret|password)$/i;
/** The same fields in text that is neither JSON nor a form. */
const SECRET_TEXT = /((?:client_secret|access_token|secret|password)["']?\s*[=:]\s*["']?)[^&"'\s,}]+/gi;
/** Every secret field and every form of a secret contains one of these. */
const SECRET_HINT = /secret|access_token|password|whsec_|~|%7E|\.[0-9a-f]{12}[\w-]{31}/i;
const SECRETS_OF_RECORDS = /^(secret|previous_secret|cursor_key)$/;

/** Whether a text may contain a secret. The test is cheap and avoids parsing most bodies. */
export const canHoldSecret = (text: string): boolean => SECRET_HINT.test(text);

export const redactText = (text: string): string =>
  text.replace(SECRET_TEXT, `$1${REDACTED}`).replace(SECRET_FORMS, REDACTED);

/** Returns a copy without secrets at any depth: by the name of a field, and by the form of a value or a name. */
export function redact(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, field]) => [redactText(name), SECRET_FIELDS.test(name) ? REDACTED : redact(field)]),
  );
}

/** Returns a path and query without secrets, also without percent-encoded ones. */
export function redactTarget(target: string): string {
  if (!canHoldSecret(target) && !(target.includes("%") && canHoldSecret(decodePart(target)))) return target;
  const [path = "", query] = target.split(/\?(.*)/s, 2);
  const safePath = path.split("/").map(redactPart).join("/");
  const parameters = query?.split("&").map((pair) => {
    const [name = "", value] = pair.split(/=(.*)/s, 2);
    const isSecret = SECRET_FIELDS.test(decodePart(name));
    return value === undefined ? redactPart(name) : `${redactPart(name)}=${isSecret ? REDACTED : redactPart(value)}`;
  });
  return parameters === undefined ? safePath : `${safePath}?${parameters.join("&")}`;
}

/** Returns a part that contains no secret unchanged. */
function redactPart(part: string): string {
  const text = decodePart(part);
  const safe = redactText(text);
  // A plus is a space in a query, and may be part of a secret.
  return safe === text ? part : safe.split(REDACTED).map(encodeURIComponent).join(REDACTED).replaceAll("%2B", "+");
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the text of a body without secrets. Text that is not JSON, such as a form, is redacted as text. */
export function redactBody(text: string): string {
  if (!canHoldSecret(text)) return text;
  const value = parseBody(text);
  return typeof value === "object" ? JSON.stringify(redact(value)) : redactText(text);
}

/** Returns a value as JSON without secrets; undefined for undefined. */
export function encodeRedacted(value: unknown): string {
  const text = JSON.stringify(value);
  return canHoldSecret(text) ? JSON.stringify(redact(value)) : text;
}

export function redactHeaders<V extends string | string[] | undefined>(headers: Readonly<Record<string, V>>) {
  const redacted: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries<string | string[] | undefined>(headers))
    if (value !== undefined && SECRET_HEADERS.has(name)) redacted[name] = REDACTED;
    else if (typeof value === "string" && !canHoldSecret(value)) redacted[name] = value;
    else if (value !== undefined) redacted[name] = redact(value) as string[];
  return redacted;
}

/** Parses a text as JSON. Returns other texts unchanged, and null for an empty one. */
export const parseBody = (text = ""): unknown => (text === "" ? null : parseJson(text));

/** Returns a copy of a record without its secrets, for display. `name`: the field that holds the value. */
export function redactRecord<T>(value: T, name = ""): T {
  if (typeof value === "string") return SECRETS_OF_RECORDS.test(name) ? (REDACTED as T) : value;
  if (Array.isArray(value)) return value.map((item) => redactRecord(item, name)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, redactRecord(each, field)])) as T;
}
