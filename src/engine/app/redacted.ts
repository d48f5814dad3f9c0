// A record without its secrets, for whoever only looks at it.
import { REDACTED } from "../../platform/redacted.ts";

const SECRETS = /^(secret|previous_secret|cursor_key)$/;

/** A secret is replaced wherever it is, a previous one too; `name` is that of the member which holds the value. */
export function redacted<T>(value: T, name = ""): T {
  return withoutSecrets(value, name) as T;
}

function withoutSecrets(value: unknown, name: string): unknown {
  if (typeof value === "string") return SECRETS.test(name) ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, withoutSecrets(each, member)]));
}
