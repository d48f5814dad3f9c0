// The control surface: every operation of its specification, listed.
import type { ServerResponse } from "node:http";
import type { Application } from "../../app/application.ts";
import { dueFirst } from "../beforehand.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { actHandlers } from "./acts.ts";
import { clock } from "./clock.ts";
import { describe } from "./describe.ts";
import { drills } from "./drills.ts";
import { type Handlers, meantWorld } from "./handler.ts";
import { mcp } from "./mcp.ts";
import { messages } from "./messages.ts";
import { state } from "./state.ts";
import { watching } from "./watching.ts";
import { worlds } from "./worlds.ts";

const table: Handlers = { ...describe, ...worlds, ...state, ...clock, ...watching, ...messages, ...drills, ...mcp };
const actTables = new WeakMap<Application, Handlers>();

export function controlOperations(application: Application): Handlers {
  const acts = actTables.get(application) ?? actHandlers(application.acts.all().map(({ id }) => id));
  actTables.set(application, acts);
  return { ...table, ...acts };
}

export async function control(
  exchange: Exchange,
  application: Application,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const id = exchange.route?.id ?? "";
  const acts = actTables.get(application) ?? controlOperations(application);
  const handler = table[id] ?? acts[id];
  if (!handler) throw new Error(`${id} is in the specification but nobody does it`);
  // A world in which that fails must still take a reset or an import.
  await dueFirst(meantWorld(exchange), application).catch(() => undefined);
  const { path, query } = exchange.asked;
  return handler({ exchange, application, path: path as Record<string, string>, query, body: exchange.body, response });
}
