// Input of an act that is not sent by HTTP (a fixture's history): checked by the same contract.

import operations from "../../contract/generated/control-operations.json" with { type: "json" };
import { didYouMean } from "../../platform/nearest.ts";
import { HttpError } from "./errors.ts";
import type { Route } from "./exchange.ts";
import { plainlyFits, whyNot } from "./fast-validators.ts";
import { routesOf } from "./router.ts";

const routes = new Map<string, Route>(routesOf(operations, true).map((route) => [route.id, route]));

export function checkAct(act: string, input: unknown): unknown {
  const route = routes.get(act);
  if (!route) throw new HttpError(404, `There is no act ${act}.${didYouMean(act, routes.keys())}`);
  const sent = { raw: undefined, body: input, query: {}, params: {}, headers: { "content-type": "application/json" } };
  if (!plainlyFits(sent, route)) throw new HttpError(400, whyNot(sent, route));
  return input;
}
