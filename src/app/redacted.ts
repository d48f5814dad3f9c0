// A record without its secrets, for whoever only looks at it.
const SECRETS = /^(secret|previous_secret|cursor_key)$/;

/** A secret is replaced wherever it is, a previous one too; `name` is that of the member which holds the value. */
export function blotted<T>(value: T, { name = "", mark = "[blotted]" } = {}): T {
  return blot(value, name, mark) as T;
}

function blot(value: unknown, name: string, mark: string): unknown {
  if (typeof value === "string") return SECRETS.test(name) ? mark : value;
  if (Array.isArray(value)) return value.map((item) => blot(item, name, mark));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, blot(each, member, mark)]));
}
