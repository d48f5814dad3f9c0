// Adds notes of the sandbox to the descriptions in the served document: for `?annotated`, the docs page, and the pages for tools.

import { annotate } from "../../contract/document/annotated.ts";
import type { Json } from "../../contract/document/document.ts";
import type { Assumption } from "../../contract/document/notes.ts";
import stories from "../../contract/generated/stories.json" with { type: "json" };
import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import type { World } from "../world/state/world.ts";
import type { Exchange } from "./exchange.ts";
import { findOverrides } from "./in-force.ts";
import { resolveNamedWorld } from "./named-world.ts";
import { createOpenapi, findAddress, findMeantWorld } from "./served.ts";

/** `?annotated` alone counts as yes. */
export const isAnnotated = ({ query }: Exchange): boolean =>
  query.annotated !== undefined && !["false", "0", "no"].includes(query.annotated.toString());

/** Annotates the document with the assumptions of the world of the request, which may override some. */
export function createAnnotatedOpenapi(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Json {
  const register = readRegister(application, findMeantWorld(application, exchange));
  const named = resolveNamedWorld(exchange);
  const query = named === undefined ? "" : `?world=${encodeURIComponent(named)}`;
  const document = annotate(createOpenapi(application, exchange), register, stories, query);
  // A reader may be on another host, so links get the address of the sandbox.
  return JSON.parse(JSON.stringify(document).replaceAll("](/", `](${findAddress(application, exchange)}/`));
}

function readRegister(application: WorldsPort & RequestsPort, world: World | undefined): Assumption[] {
  const taken = findOverrides(world, application);
  const entries = world ? application.assumptions.all(world) : [];
  return entries.map(({ id, gap, basis, default: byDefault, chosen, alternatives }) => {
    const other = alternatives.find(({ value }) => taken.includes(`${id}=${value}`));
    const all = [{ value: byDefault, meaning: chosen }, ...alternatives];
    const value = other?.value ?? byDefault;
    const others = all.filter((each) => each.value !== value);
    return { id, gap, holds: other?.meaning ?? chosen, basis, value, default: byDefault, others };
  });
}
