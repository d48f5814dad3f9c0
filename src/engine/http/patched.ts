// Applies a patch of the build (src/build/overlay.mjs): a JSON merge patch (RFC 7396) that also patches lists, by the names of their items.
// Unchanged parts are shared with the original value.
import { isObject } from "../../platform/json.ts";

export type JsonMembers = Record<string, unknown>;

/** Applies a patch. Null removes a field. */
export function applyPatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  if (Array.isArray(value)) return applyListPatch(value, patch);
  // Only this level is copied.
  const members: JsonMembers = { ...(isObject(value) ? value : {}) };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete members[name];
    else members[name] = applyPatch(members[name], change);
  }
  return members;
}

function applyListPatch(list: readonly unknown[], patch: JsonMembers): unknown[] {
  // A map keeps the order; new items are last.
  const items = new Map(list.map((item) => [readItemName(item), item]));
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) items.delete(name);
    else items.set(name, applyPatch(items.get(name), change));
  }
  return [...items.values()];
}

/** Returns the name of a list item: a status code, a parameter, a media type or a reference. */
export function readItemName(item: unknown): string {
  const { code, name, mediaType, $ref, title } = item as Record<string, string | undefined>;
  return code ?? name ?? mediaType ?? $ref ?? title ?? "";
}
