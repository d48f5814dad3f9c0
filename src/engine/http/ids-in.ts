// The ids that an answer names.
const ID = /^(?:\w+_)?id$/;

/** In the order of the answer. */
export function idsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "string" && ID.test(name) ? [member] : idsIn(member),
  );
}
