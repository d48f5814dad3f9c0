// Members of a JSON value by path, read and put: `items.0.quantity` is in the first of a list. Only a value's own members count, since
// a path may be anything.

type Members = Record<string, unknown>;

/** The member of an object, or of a list by its number. */
export function getMember(value: unknown, name: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  // A list has no other member of its own than its items and this one.
  return name === "length" && Array.isArray(value) ? undefined : (value as Members)[name];
}

/** Also of a list that was sent as `A,B`. */
export const getSent = (value: unknown, name: string): unknown =>
  typeof value === "string" ? value.split(",")[Number(name)] : getMember(value, name);

export const getValue = (value: unknown, path: readonly (string | number)[]): unknown => path.reduce(getMember, value);

/** A step of a JSON pointer, as the name of a member. */
export const decodeStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

/** The names of the members on the way of a JSON pointer. */
export const splitPointer = (pointer: string): string[] => pointer.split("/").slice(1).map(decodeStep);

/** What a JSON pointer of a document points to: `#/components/schemas/Booking`. */
export const readPointer = (document: unknown, pointer: string): unknown => getValue(document, splitPointer(pointer));

/** Puts a member into the value itself; missing objects and lists on the way are made. */
export function putAt(into: object, [name = "", ...rest]: readonly string[], value: unknown): void {
  const own = getMember(into, name);
  const isOpen = typeof own === "object" && own !== null;
  const next = rest.length === 0 ? value : isOpen ? own : /^\d+$/.test(rest[0] ?? "") ? [] : {};
  // Never through a setter: `__proto__` is a member like any other.
  if (next !== own)
    Object.defineProperty(into, name, { value: next, writable: true, enumerable: true, configurable: true });
  if (rest.length > 0) putAt(next as object, rest, value);
}
