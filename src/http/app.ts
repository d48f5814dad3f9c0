// The whole way of a request, on one page. Makes an Express application and never listens. Each step may answer, or throw what
// errors.ts words; from `operate` to its commit nothing yields, so two callers for the last seat can't both win.
import express, { type Express, type Request, type Response } from "express";
import { BODY_LIMIT, readBody, STATE_LIMIT } from "./body.ts";
import { guard } from "./control/guard.ts";
import { control } from "./control/index.ts";
import { documents } from "./documents.ts";
import { Struck, struck, sufferBefore } from "./drill.ts";
import { ContractError, failure } from "./errors.ts";
import type { Answer, Exchange, Route } from "./exchange.ts";
import { answerOf, type Fault, pause } from "./faults.ts";
import { makeFinder } from "./find.ts";
import { checkAnswer, checkRequest } from "./gate.ts";
import type { House } from "./house.ts";
import { identify } from "./identify.ts";
import { bindingOf, inForce } from "./in-force.ts";
import { note } from "./note.ts";
import { open } from "./open.ts";
import { asForeign, inSeconds } from "./otherwise.ts";
import { bodyTypeOf } from "./parameters.ts";
import { limitRate } from "./rate-limit.ts";
import { routesOf } from "./router.ts";
import { clientWorld, createToken, TOKEN_PATH, tokenFailure } from "./token.ts";
import { refuseUnknown } from "./undocumented.ts";
import { breakConnection, write } from "./write.ts";

export type App = Express;

/** What the two documents describe, with their operations as Prism reads them. */
export interface Specification {
  public: Parameters<typeof routesOf>[0];
  control: Parameters<typeof routesOf>[0];
}

export function makeApp(house: House, specification: Specification, requestIds: () => string): Express {
  const find = makeFinder([...routesOf(specification.public, false), ...routesOf(specification.control, true)], house);
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false);
  const [readUsual, readState] = [BODY_LIMIT, STATE_LIMIT].map((limit) => express.raw({ type: () => true, limit }));
  // One layer, since each costs every request: it reads the body, and goes on with what it read or why it could not.
  app.use((request: Request, response: Response) => {
    const read = request.method === "PUT" && request.path === "/_sandbox/state" ? readState : readUsual;
    read?.(request, response, (reason?: unknown) => void serve(request, response, reason));
  });
  return app;

  async function serve(request: Request, response: Response, unreadable?: unknown): Promise<void> {
    const exchange = open(request, requestIds(), house, unreadable);
    let fault: Fault | undefined;
    try {
      const controlled = () => exchange.route?.control;
      exchange.answer =
        find(exchange) ?? (await (controlled() ? commanded(exchange, request, response) : asked(exchange)));
      if (exchange.answer === undefined) return;
      fault = struck(exchange, "after", house);
    } catch (reason) {
      if (reason instanceof Struck) fault = reason.fault;
      else exchange.answer = failed(exchange, reason);
    }
    await pause(fault?.delay_ms);
    if (fault) exchange.answer = answerOf(fault) ?? exchange.answer ?? { status: 200 };
    const sent = fault?.connection ? breakConnection(exchange, response, fault.connection) : write(exchange, response);
    note(exchange, sent, fault?.connection ? null : (exchange.answer?.status ?? null), house);
  }

  /** An operation of the service. */
  async function asked(exchange: Exchange): Promise<Answer> {
    const route = exchange.route as Route;
    if (route.id === "createToken") return tokenAsked(exchange);
    if (route.scopes.length > 0 || route.id === "getMe") identify(exchange, route, house);
    limitRate(exchange, house);
    await sufferBefore(exchange, house);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    const assumes = (id: string) => (exchange.world ? house.look(exchange.world, (desk) => desk.assumes(id)) : "");
    const binding = bindingOf(route, inForce(exchange.world, house));
    exchange.route = binding;
    try {
      if (house.operations.has(route.id)) {
        mustBeThere(exchange, route);
        refuseUnknown(exchange, binding, assumes);
        await checkRequest(exchange, binding, assumes("limit-range") === "clamp");
      }
      const plain = operate(exchange, route);
      const answer = assumes("timestamps") === "second" ? inSeconds(plain) : plain;
      if (house.settings.durability === "fsync") await house.settled();
      if (house.settings.strictResponses) await checkAnswer(exchange, binding, answer);
      return answer;
    } catch (reason) {
      throw assumes("other-company") === "403" ? asForeign(reason, exchange, house) : reason;
    }
  }

  /** Some operations look for their subject before they look at the request. */
  function mustBeThere({ world, params }: Exchange, { id }: Route): void {
    const find = house.operations.get(id)?.find;
    if (find && world) house.look(world, (desk) => find(desk, params as never));
  }

  async function tokenAsked(exchange: Exchange): Promise<Answer> {
    const world = clientWorld(exchange, house);
    if (world) exchange.world = world;
    await sufferBefore(exchange, house);
    const answer = createToken(exchange, house);
    if (house.settings.durability === "fsync") await house.settled();
    return answer;
  }

  /** The world is looked up again: it may have been reset while the request was read. */
  function operate(exchange: Exchange, route: Route): Answer {
    const { key } = exchange;
    const world = house.worlds.get(exchange.world?.id ?? "");
    const operation = house.operations.get(route.id);
    if (!operation || !world) return documentAnswer(exchange);
    const ask = {
      ...exchange.asked,
      headers: exchange.headers,
      body: exchange.body,
      caller: key,
      newSecret: house.random.secret,
    };
    const work = (desk: Parameters<typeof operation.answer>[0]) => operation.answer(desk, ask as never);
    if (route.operation.method === "get") return house.look(world, work);
    const { result, facts } = house.change(world, exchange.id, work);
    exchange.facts = facts;
    return result;
  }

  function documentAnswer(exchange: Exchange): Answer {
    return documents(exchange, house) ?? failure(new Error(`${exchange.route?.id} is not served`), exchange.id);
  }

  async function commanded(exchange: Exchange, request: Request, response: Response): Promise<Answer | undefined> {
    const route = exchange.route as Route;
    guard(exchange, request.socket, house);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    await checkRequest(exchange, route, false);
    const answer = await control(exchange, house, response);
    if (house.settings.durability === "fsync") await house.settled();
    if (answer && house.settings.strictResponses) await checkAnswer(exchange, route, answer);
    return answer;
  }
}

/** What was thrown, as an answer; the journal hears more of it than the client. */
function failed(exchange: Exchange, reason: unknown): Answer {
  if (reason instanceof ContractError) exchange.violations = [...reason.violations];
  const answer = (exchange.path === TOKEN_PATH ? tokenFailure : failure)(reason, exchange.id);
  if (answer.status === 500) exchange.trouble = String((reason as Error)?.stack ?? reason);
  return answer;
}
