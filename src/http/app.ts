// The whole way of a request. Each step may answer, or throw what errors.ts words; from `operate` to its commit nothing yields.
import express, { type Express, type Request, type Response } from "express";
import type { Application } from "../app/application.ts";
import { asForeign, inSeconds } from "./assumption-responses.ts";
import { beforehand } from "./beforehand.ts";
import { BODY_LIMIT, readBody, STATE_LIMIT } from "./body.ts";
import { guard } from "./control/guard.ts";
import { control } from "./control/index.ts";
import { crossOrigin } from "./cross-origin.ts";
import { documents } from "./documents.ts";
import { ContractError, failure } from "./errors.ts";
import type { Answer, Exchange, Route } from "./exchange.ts";
import { FaultTriggered, triggered } from "./fault-injection.ts";
import { answerOf, type Fault, pause } from "./faults.ts";
import { makeFinder } from "./find.ts";
import { identify } from "./identify.ts";
import { bindingOf, inForce } from "./in-force.ts";
import { note } from "./log-request.ts";
import { mustHaveOneHost, open } from "./open.ts";
import { bodyTypeOf } from "./parameters.ts";
import { limitRate } from "./rate-limit.ts";
import { checkAnswer, checkRequest } from "./request-validation.ts";
import { routesOf } from "./router.ts";
import { clientWorld, createToken, TOKEN_PATH, tokenFailure } from "./token.ts";
import { inTurn } from "./turns.ts";
import { refuseUnknown } from "./undocumented.ts";
import { breakConnection, lose, write } from "./write.ts";

export type App = Express;

/** The operations of the two documents as Prism reads them. */
export type Specification = Record<"public" | "control", Parameters<typeof routesOf>[0]>;

export function makeApp(application: Application, specification: Specification, requestIds: () => string): Express {
  const find = makeFinder(
    [...routesOf(specification.public, false), ...routesOf(specification.control, true)],
    application,
  );
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false);
  const [readUsual, readState] = [BODY_LIMIT, STATE_LIMIT].map((limit) => express.raw({ type: () => true, limit }));
  if (application.settings.cors.length > 0) app.use(crossOrigin(application.settings.cors));
  // One layer, since each costs every request: it reads the body, and goes on with what it read or why it could not.
  app.use((request: Request, response: Response) => {
    const read = request.method === "PUT" && request.path === "/_sandbox/state" ? readState : readUsual;
    const begin = (reason?: unknown) =>
      inTurn(() => void serve(request, response, reason).catch(lose(response, application.warn)));
    read?.(request, response, begin);
  });
  return app;

  async function serve(request: Request, response: Response, unreadable?: unknown): Promise<void> {
    const exchange = open(request, requestIds(), application, unreadable);
    let fault: Fault | undefined;
    try {
      mustHaveOneHost(request);
      const known = find(exchange);
      const meant = exchange.route?.control ? () => commanded(exchange, request, response) : () => asked(exchange);
      exchange.answer = known ?? (await meant());
      if (exchange.answer === undefined) return;
      fault = triggered(exchange, "after", application);
    } catch (reason) {
      if (reason instanceof FaultTriggered) fault = reason.fault;
      else exchange.answer = failed(exchange, reason);
    }
    await pause(fault?.delay_ms);
    if (fault) exchange.answer = answerOf(fault) ?? exchange.answer ?? { status: 200 };
    const sent = fault?.connection ? breakConnection(exchange, response, fault.connection) : write(exchange, response);
    note(exchange, sent, fault?.connection ? null : (exchange.answer?.status ?? null), application);
  }

  /** An operation of the service. */
  async function asked(exchange: Exchange): Promise<Answer> {
    const route = exchange.route as Route;
    if (route.id === "createToken") return tokenAsked(exchange);
    if (route.scopes.length > 0 || route.id === "getMe") identify(exchange, route, application);
    limitRate(exchange, application);
    await beforehand(exchange, application);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    const assumes = (id: string) => (exchange.world ? application.look(exchange.world, (tx) => tx.assumes(id)) : "");
    const binding = bindingOf(route, inForce(exchange.world, application));
    exchange.route = binding;
    try {
      if (application.operations.has(route.id)) {
        mustBeThere(exchange, route);
        refuseUnknown(exchange, binding, assumes);
        await checkRequest(exchange, binding, assumes);
      }
      const plain = operate(exchange, route);
      const answer = assumes("timestamps") === "second" ? inSeconds(plain) : plain;
      if (application.settings.durability === "fsync") await application.settled();
      if (application.settings.strictResponses) await checkAnswer(exchange, binding, answer);
      return answer;
    } catch (reason) {
      throw assumes("other-company") === "403" ? asForeign(reason, exchange, application) : reason;
    }
  }

  /** Some operations look for their subject before they look at the request. */
  function mustBeThere({ world, params }: Exchange, { id }: Route): void {
    const find = application.operations.get(id)?.find;
    if (find && world) application.look(world, (tx) => find(tx, params as never));
  }

  async function tokenAsked(exchange: Exchange): Promise<Answer> {
    const world = clientWorld(exchange, application);
    if (world) exchange.world = world;
    await beforehand(exchange, application);
    const answer = createToken(exchange, application);
    if (application.settings.durability === "fsync") await application.settled();
    return answer;
  }

  /** The world is looked up again: it may have been reset while the request was read. */
  function operate(exchange: Exchange, route: Route): Answer {
    const world = application.worlds.get(exchange.world?.id ?? "");
    const operation = application.operations.get(route.id);
    if (!operation || !world) return documentAnswer(exchange);
    const ask = {
      ...exchange.asked,
      headers: exchange.headers,
      body: exchange.body,
      caller: exchange.key,
      newSecret: application.random.secret,
    };
    const work = (tx: Parameters<typeof operation.answer>[0]) => operation.answer(tx, ask as never);
    if (route.operation.method === "get") return application.look(world, work);
    const { result, facts } = application.change(world, exchange.id, work);
    exchange.facts = facts;
    return result;
  }

  function documentAnswer(exchange: Exchange): Answer {
    return documents(exchange, application) ?? failure(new Error(`${exchange.route?.id} is not served`), exchange.id);
  }

  async function commanded(exchange: Exchange, request: Request, response: Response): Promise<Answer | undefined> {
    const route = exchange.route as Route;
    guard(exchange, request.socket, application);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    await checkRequest(exchange, route, () => "");
    const answer = await control(exchange, application, response);
    if (application.settings.durability === "fsync") await application.settled();
    if (answer && application.settings.strictResponses) await checkAnswer(exchange, route, answer);
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
