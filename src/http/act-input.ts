// Input of an act that does not come by HTTP (a fixture's history, the library): checked by the same contract.

import { didYouMean } from "../domain/kernel/nearest.ts";
import operations from "../generated/control-operations.json" with { type: "json" };
import { HttpError } from "./errors.ts";
import type { Exchange, Route } from "./exchange.ts";
import { plainlyFits, whyNot } from "./fast-validators.ts";
import { routesOf } from "./router.ts";

const routes = new Map<string, Route>(routesOf(operations, true).map((route) => [route.id, route]));

export function checkAct(act: string, input: unknown): unknown {
  const route = routes.get(act);
  if (!route) throw new HttpError(404, `There is no act ${act}.${didYouMean(act, routes.keys())}`);
  const exchange: Exchange = {
    id: "",
    method: "POST",
    target: route.operation.path,
    path: route.operation.path,
    query: {},
    headers: { "content-type": "application/json" },
    raw: undefined,
    unreadable: undefined,
    body: input,
    started: 0,
    at: "",
    params: {},
    asked: { path: {}, query: {} },
    violations: [],
    facts: [],
  };
  if (!plainlyFits(exchange, route)) throw new HttpError(400, whyNot(exchange, route));
  return input;
}
