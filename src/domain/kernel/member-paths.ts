// Members of a JSON value, changed by path: `items.0.quantity` is in the first of a list. Missing objects and lists on the way are made.
import { reject } from "./domain-error.ts";

type Members = Record<string, unknown>;

/** A copy of the value with these members; one that is null is taken away. */
export function withMembers(value: unknown, set: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(set).reduce((made, [path, member]) => withMember(made, path.split("."), member, path), value);
}

function withMember(value: unknown, [name = "", ...rest]: readonly string[], member: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    const index = Number(name);
    if (!/^\d+$/.test(name) || index > value.length)
      return reject("INVALID_INPUT", {
        path: `body.set.${path}`,
        what: `${name.slice(0, 60)} is no place in the list, which has ${value.length}.`,
      });
    if (rest.length === 0 && member === null) return value.toSpliced(index, 1);
    return value.toSpliced(index, 1, rest.length === 0 ? member : withMember(value[index], rest, member, path));
  }
  if (value !== undefined && value !== null && typeof value !== "object")
    return reject("INVALID_INPUT", {
      path: `body.set.${path}`,
      what: `there is ${JSON.stringify(value).slice(0, 60)}, which has no members.`,
    });
  if (value === undefined && /^\d+$/.test(name)) return withMember([], [name, ...rest], member, path);
  const known = (value ?? {}) as Members;
  const own = Object.hasOwn(known, name) ? known[name] : undefined;
  const members = Object.entries(known).filter(([each]) => each !== name || rest.length > 0 || member !== null);
  if (rest.length === 0 && member === null) return Object.fromEntries(members);
  const made = rest.length === 0 ? member : withMember(own, rest, member, path);
  return Object.fromEntries([...new Map([...members, [name, made]])]);
}
