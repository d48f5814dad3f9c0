// What binds a world that takes other answers to open questions: the document and its operations with what each of those answers
// changes, as the build worked it out. Whoever assumes nothing pays nothing.
import type { IHttpOperation } from "@stoplight/types";
import type { Application } from "../app/application.ts";
import flips from "../generated/flips.json" with { type: "json" };
import openapiDocument from "../generated/openapi.json" with { type: "json" };
import type { World } from "../world/state/world.ts";
import type { Route } from "./exchange.ts";
import { patched } from "./patched.ts";

const NONE: readonly string[] = [];
const bound = new WeakMap<IHttpOperation, Map<string, Route>>();

/** The other answers that a world takes, as `id=value`, in the order of the register. */
export function inForce(world: World | undefined, { settings }: Application): readonly string[] {
  const assumptions = { ...settings.assume, ...world?.identity()?.assumptions };
  const taken = Object.entries(assumptions).map(([id, value]) => `${id}=${value}`);
  return taken.length === 0 ? NONE : Object.keys(flips).filter((name) => taken.includes(name));
}

/** The route as it binds under these answers. */
export function bindingOf(route: Route, names: readonly string[]): Route {
  if (names.length === 0) return route;
  const taken = names.filter((name) => flips[name]?.operations?.[route.id] !== undefined);
  if (taken.length === 0) return route;
  const known = bound.get(route.operation) ?? new Map<string, Route>();
  bound.set(route.operation, known);
  const binding = known.get(taken.join()) ?? flipped(route, taken);
  known.set(taken.join(), binding);
  return binding;
}

function flipped(route: Route, names: readonly string[]): Route {
  const operation = names.reduce<unknown>(
    (usual, name) => patched(usual, flips[name]?.operations?.[route.id]),
    route.operation,
  );
  return { ...route, operation: operation as IHttpOperation, flipped: true };
}

/** The document as it binds under these answers, which it names. */
export function documentInForce(names: readonly string[]): Record<string, unknown> {
  if (names.length === 0) return openapiDocument;
  const patches = names.map((name) => flips[name]?.document).filter((patch) => patch !== undefined);
  const document = patches.reduce(patched, openapiDocument) as typeof openapiDocument & {
    info: { description: string };
  };
  const lines = names.map((name) => `- \`${name}\`: ${flips[name]?.meaning}`);
  const said = `## In force here\n\nThis sandbox answers some open questions otherwise than usual. Where the text above differs, this holds:\n\n${lines.join("\n")}\n`;
  return { ...document, info: { ...document.info, description: `${document.info.description}\n${said}` } };
}
