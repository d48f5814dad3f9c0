// A stream goes on after it was let in: who lost the token or the role meanwhile is not told the rest.
import type { ServerResponse } from "node:http";
import type { Teams } from "../../app/application.ts";
import { type Exchange, isRouted } from "../exchange.ts";
import { leastFor, mayDo } from "./roles.ts";

/** What the database answered is cached, so that a look costs little however many streams there are. */
const LOOK_MS = 1000;

/** Cuts the stream where a request like it would be refused. */
export function cutWhenRefused(exchange: Exchange, response: ServerResponse, teams: Teams): void {
  // Without a principal it was open to everybody.
  if (!exchange.principal || !isRouted(exchange)) return;
  const least = leastFor(exchange.route.id, exchange.method);
  const look = async () => {
    const principal = await teams.principalOf(exchange.headers);
    // Cut, and not ended: nothing that is written to it meanwhile may fail, and nobody who reads slowly holds it.
    if (!principal || !mayDo(principal.role, least)) response.destroy();
  };
  // Where the database does not answer, the stream goes on: only a sure "no" ends it.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref();
  response.once("close", () => clearInterval(timer));
}
