// Records a scenario from entries of the log.
import { optional } from "../../../platform/optional.ts";
import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, readHeader } from "../exchange.ts";
import { defineHandlers, ok } from "./handler.ts";

export const recordings = defineHandlers<RequestsPort & WorldsPort>()({
  async recordScenario(requested) {
    const { application, exchange, body } = requested;
    const world = requested.world.id;
    const made = await application.record({ world, wanted: body, credentials: readCredentials(exchange) });
    if ("rejection" in made) throw new HttpError(made.status, made.rejection, { code: made.code });
    return ok(made);
  },
});

function readCredentials(exchange: Exchange): Record<string, string> | undefined {
  if (!exchange.caller) return undefined;
  return optional({ authorization: readHeader(exchange, "authorization"), cookie: readHeader(exchange, "cookie") });
}
