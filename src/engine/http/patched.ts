// A value after a patch that the build made (src/build/overlay.mjs): a JSON merge patch (RFC 7396) in which a list whose items have
// names is patched by them. What the patch does not touch is shared with the value, not copied.
import { isObject } from "../../platform/json.ts";

export type JsonMembers = Record<string, unknown>;

/** Null in a patch takes a member away. */
export function applyPatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  if (Array.isArray(value)) return applyListPatch(value, patch);
  // A copy of this level only.
  const members: JsonMembers = { ...(isObject(value) ? value : {}) };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete members[name];
    else members[name] = applyPatch(members[name], change);
  }
  return members;
}

function applyListPatch(list: readonly unknown[], patch: JsonMembers): unknown[] {
  // A map keeps the order, and new items come last.
  const items = new Map(list.map((item) => [readItemName(item), item]));
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) items.delete(name);
    else items.set(name, applyPatch(items.get(name), change));
  }
  return [...items.values()];
}

/** What tells the items of a list apart: status codes, parameters, media types, references. */
export function readItemName(item: unknown): string {
  const { code, name, mediaType, $ref, title } = item as Record<string, string | undefined>;
  return code ?? name ?? mediaType ?? $ref ?? title ?? "";
}
