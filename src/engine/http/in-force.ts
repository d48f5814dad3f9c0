// Adapts the specification to a world that overrides assumptions: the document and its operations get the changes that
// the build computed for each alternative. A world without overrides costs nothing.
import type { IHttpOperation } from "@stoplight/types";
import { readItemName } from "../../contract/document/item-name.mjs";
import flips from "../../contract/generated/flips.json" with { type: "json" };
import openapiDocument from "../../contract/generated/openapi.json" with { type: "json" };
import { isObject } from "../../platform/json.ts";
import type { RequestsPort, WorldsPort } from "../app/application.ts";
import type { World } from "../world/state/world.ts";
import type { Exchange, Route, Routed } from "./exchange.ts";

/** Lists the alternatives that change the validation, with their operations. Other alternatives change at most descriptions. */
export const listBindingOverrides = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(flips).flatMap(([name, { operations }]) =>
      operations ? [[name, Object.keys(operations)] as const] : [],
    ),
  );

/** Overrides → changed routes. They are reused, because Prism caches its validators by the operation object. */
const routeTables = new Map<string, Map<string, Route>>();
const MAX_ROUTE_TABLES = 8;

/** Returns the value of an assumption in the world of a request; "" for a request without a world. */
export function readAssumption({ world }: Exchange, application: WorldsPort, id: string): string {
  return world ? application.assumes(world, id) : "";
}

/**
 * Finds the overridden assumptions of a world as `id=value`, in the order of the list of assumptions. Overrides of the
 * world take precedence over those of the start options.
 */
export function findOverrides(
  world: World | undefined,
  { settings }: Pick<RequestsPort, "settings">,
): readonly string[] {
  const assumptions = { ...settings.assume, ...world?.identity()?.assumptions };
  const taken = Object.entries(assumptions).map(([id, value]) => `${id}=${value}`);
  return taken.length === 0 ? [] : Object.keys(flips).filter((name) => taken.includes(name));
}

/** Replaces the route by the one for the assumptions of the request's world. */
export function bindRoute(exchange: Routed, application: RequestsPort): void {
  exchange.route = bindOverrides(exchange.route, findOverrides(exchange.world, application));
}

export function bindOverrides(route: Route, names: readonly string[]): Route {
  if (names.length === 0) return route;
  const key = names.join();
  if (!routeTables.has(key) && routeTables.size === MAX_ROUTE_TABLES) routeTables.clear();
  const table = routeTables.get(key) ?? new Map<string, Route>();
  routeTables.set(key, table);
  const known = table.get(route.id) ?? overrideRoute(route, names);
  table.set(route.id, known);
  return known;
}

function overrideRoute(route: Route, names: readonly string[]): Route {
  // The order of the list of assumptions is fixed, so two overrides of one operation always have the same result.
  const patches = names.flatMap((name) => flips[name]?.operations?.[route.id] ?? []);
  if (patches.length === 0) return route;
  const operation = patches.reduce(applyPatch, route.operation) as IHttpOperation;
  return { ...route, operation, documented: route.operation };
}

/** Returns the document under these overrides, with a section that lists them. */
export function patchDocument(names: readonly string[]): Record<string, unknown> {
  if (names.length === 0) return openapiDocument;
  const patches = names.map((name) => flips[name]?.document).filter((patch) => patch !== undefined);
  const document = patches.reduce(applyPatch, openapiDocument) as { info: { description: string } };
  const lines = names.map((name) => `- \`${name}\`: ${flips[name]?.meaning}`);
  const section = `## In force here\n\nThis sandbox overrides some assumptions. Where the text above differs, this applies:\n\n${lines.join("\n")}\n`;
  return { ...document, info: { ...document.info, description: `${document.info.description}\n${section}` } };
}

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
