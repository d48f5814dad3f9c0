// A record without its secrets, for whoever only looks at it.
const SECRETS = /^(secret|previous_secret|cursor_key)$/;
const BLOTTED = "[blotted]";

/** A secret is replaced wherever it is; a previous one keeps the instant until which it is valid. */
export function blotted<T>(value: T): T {
  return blot(value, "") as T;
}

function blot(value: unknown, name: string): unknown {
  if (typeof value === "string") return SECRETS.test(name) ? BLOTTED : value;
  if (Array.isArray(value)) return value.map((item) => blot(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, blot(each, member)]));
}
