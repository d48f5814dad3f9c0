// Reads and sets fields of a JSON value by path: `items.0.quantity` is in the first item of a list. Only own properties
// count, because a path may be any text.

type Members = Record<string, unknown>;

/** Returns the field of an object, or the item of a list by its number. */
export function getMember(value: unknown, name: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  // The only other own property of a list is its length.
  return name === "length" && Array.isArray(value) ? undefined : (value as Members)[name];
}

/** Returns the field, or the item of a list that was sent as `A,B`. */
export const getSent = (value: unknown, name: string): unknown =>
  typeof value === "string" ? value.split(",")[Number(name)] : getMember(value, name);

export const getValue = (value: unknown, path: readonly (string | number)[]): unknown => path.reduce(getMember, value);

/** Decodes a step of a JSON pointer to the name of a field. */
export const decodeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

/** Splits a JSON pointer into the names of its fields. */
export const splitPointer = (pointer: string): string[] => pointer.split("/").slice(1).map(decodeStep);

/** Returns the target of a JSON pointer such as `#/components/schemas/Booking`. */
export const readPointer = (document: unknown, pointer: string): unknown => getValue(document, splitPointer(pointer));

/** Sets a field in the value itself; missing objects and lists on the path are created. */
export function putAt(into: object, [name = "", ...rest]: readonly string[], value: unknown): void {
  const own = getMember(into, name);
  const isOpen = typeof own === "object" && own !== null;
  const next = rest.length === 0 ? value : isOpen ? own : /^\d+$/.test(rest[0] ?? "") ? [] : {};
  // Setters are bypassed, because `__proto__` is a field like any other.
  if (next !== own)
    Object.defineProperty(into, name, { value: next, writable: true, enumerable: true, configurable: true });
  if (rest.length > 0) putAt(next as object, rest, value);
}
