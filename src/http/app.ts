// The whole way of a request, on one page. Makes an Express application and never listens. Each step may answer, or throw what
// errors.ts words; from `operate` to its commit nothing yields, so two callers for the last seat can't both win.
import { performance } from "node:perf_hooks";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { BODY_LIMIT, readBody } from "./body.ts";
import { bodyTypeOf, checkRequest, faultsOfAnswer, unknownNames } from "./contract.ts";
import { control } from "./control/index.ts";
import { guard } from "./control/guard.ts";
import { documents } from "./documents.ts";
import { failure, HttpError } from "./errors.ts";
import type { Answer, Exchange, Route } from "./exchange.ts";
import { answerOf, type Fault, pause } from "./faults.ts";
import { fileAt } from "./files.ts";
import type { House } from "./house.ts";
import { identify } from "./identify.ts";
import { limitRate } from "./rate-limit.ts";
import { makeRouter, routesOf } from "./router.ts";
import { clientWorld, createToken } from "./token.ts";
import { breakConnection, write } from "./write.ts";

/** What the two documents describe, with their operations as Prism reads them. */
export interface Specification {
  public: Parameters<typeof routesOf>[0];
  control: Parameters<typeof routesOf>[0];
}

export function makeApp(house: House, specification: Specification, requestIds: () => string): Express {
  const router = makeRouter([...routesOf(specification.public, false), ...routesOf(specification.control, true)]);
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false);
  app.use(express.raw({ type: () => true, limit: BODY_LIMIT }));
  app.use((request: Request, response: Response) => serve(request, response));
  app.use((reason: unknown, request: Request, response: Response, _next: NextFunction) => serve(request, response, unreadable(reason)));
  return app;

  async function serve(request: Request, response: Response, broken?: HttpError): Promise<void> {
    const exchange = open(request, requestIds(), house);
    let fault: Fault | undefined;
    try {
      if (broken) throw broken;
      exchange.answer = find(exchange) ?? (await (exchange.route?.control ? controlled(exchange, request, response) : asked(exchange)));
      if (exchange.answer === undefined) return;
      fault = struck(exchange, "after");
    } catch (reason) {
      if (reason instanceof Struck) fault = reason.fault;
      else exchange.answer = failure(reason, exchange.id);
      if (exchange.answer?.status === 500) house.activity.tell({ type: "request", world: "", data: reason });
    }
    await pause(fault?.delay_ms);
    if (fault) exchange.answer = answerOf(fault) ?? exchange.answer ?? { status: 200 };
    const sent = fault?.connection ? breakConnection(exchange, response, fault.connection) : write(exchange, response);
    note(exchange, sent, fault?.connection ? null : (exchange.answer?.status ?? null), house);
  }

  /** What is not an operation: files, documents, and what there is not. */
  function find(exchange: Exchange): Answer | undefined {
    const match = router.match(exchange.method, exchange.path);
    if (match.found === "route") {
      exchange.route = match.route;
      exchange.params = match.params;
      return undefined;
    }
    const known = fileAt(exchange, house) ?? documents(exchange, house);
    if (known) return known;
    if (match.found === "nothing") {
      throw new HttpError(404, `There is no ${exchange.path.slice(0, 200)}. The nearest documented path is ${match.nearest}.`);
    }
    const allow = match.allow.join(", ");
    if (exchange.method === "OPTIONS") return { status: 204, headers: { allow } };
    throw new HttpError(405, `${exchange.method} is not possible on ${exchange.path.slice(0, 200)}. Use one of: ${allow}.`, { headers: { allow } });
  }

  /** An operation of the service. */
  async function asked(exchange: Exchange): Promise<Answer> {
    const route = exchange.route as Route;
    if (route.id === "createToken") return tokenAsked(exchange);
    if (route.scopes.length > 0 || route.id === "getMe") identify(exchange, route, house);
    limitRate(exchange, house);
    const before = struck(exchange, "before");
    if (before) await suffer(before);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    const answer = operate(exchange, route);
    if (house.settings.durability === "fsync") await house.settled();
    mustKeepPromise(exchange, route, answer);
    return answer;
  }

  async function tokenAsked(exchange: Exchange): Promise<Answer> {
    const world = clientWorld(exchange, house);
    if (world) exchange.world = world;
    const before = struck(exchange, "before");
    if (before) await suffer(before);
    return createToken(exchange, house);
  }

  function operate(exchange: Exchange, route: Route): Answer {
    const { world, key } = exchange;
    const operation = house.operations.get(route.id);
    if (!operation || !world) return documentAnswer(exchange);
    const assumes = (id: string) => house.look(world, (desk) => desk.assumes(id));
    checkRequest(exchange, route, assumes("limit-range") === "clamp");
    refuseUnknown(exchange, route, assumes);
    const ask = { ...exchange.asked, headers: exchange.headers, body: exchange.body, caller: key, newSecret: house.random.secret };
    const work = (desk: Parameters<typeof operation.answer>[0]) => operation.answer(desk, ask as never);
    if (route.operation.method === "get") return house.look(world, work);
    const { result, facts } = house.change(world, exchange.id, work);
    exchange.facts = facts;
    return result;
  }

  function documentAnswer(exchange: Exchange): Answer {
    return documents(exchange, house) ?? failure(new Error(`${exchange.route?.id} is not served`), exchange.id);
  }

  async function controlled(exchange: Exchange, request: Request, response: Response): Promise<Answer | undefined> {
    const route = exchange.route as Route;
    guard(exchange, request.socket, house);
    exchange.body = readBody(exchange, bodyTypeOf(route.operation));
    checkRequest(exchange, route, false);
    const answer = await control(exchange, house, response);
    if (answer) mustKeepPromise(exchange, route, answer);
    return answer;
  }

  function struck(exchange: Exchange, when: "before" | "after"): Fault | undefined {
    if (!exchange.route || exchange.route.control || !exchange.world) return undefined;
    return house.faults.strike(exchange.world.id, exchange.route.id, when);
  }

  async function suffer(fault: Fault): Promise<void> {
    if (fault.status !== undefined || fault.connection) throw new Struck(fault);
    await pause(fault.delay_ms);
  }

  /** Pipeline step 10: always in our tests, otherwise with --strict-responses. */
  function mustKeepPromise(exchange: Exchange, route: Route, answer: Answer): void {
    if (!house.settings.strictResponses || typeof answer.body === "string" || Buffer.isBuffer(answer.body)) return;
    const faults = faultsOfAnswer(route.operation, answer);
    if (faults.length > 0) throw new HttpError(500, `The answer of ${route.id} breaks its specification: ${faults.join("; ")}. Request ${exchange.id}.`);
  }
}

/** A fault that struck before the operation: nothing of it happens. */
class Struck extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super("a drill");
    this.fault = fault;
  }
}

/** Undocumented names are ignored and noted, unless the world takes the other answer. */
function refuseUnknown(exchange: Exchange, route: Route, assumes: (id: string) => string): void {
  const [query, body] = [assumes("unknown-query") === "refuse", assumes("unknown-body-field") === "refuse"];
  if (!query && !body) return;
  const unknown = unknownNames(exchange, route.operation);
  const places = [...(query ? unknown.query.map((name) => `query.${name}`) : []), ...(body ? unknown.body : [])];
  if (places.length > 0) throw new HttpError(400, `Not documented: ${places.join(", ")}. Leave it out.`);
}

function open(request: Request, id: string, house: House): Exchange {
  const target = request.originalUrl;
  const mark = target.indexOf("?");
  const world = house.worlds.get("default");
  return {
    id,
    method: request.method,
    target,
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? {} : readQuery(target.slice(mark + 1)),
    headers: request.headers,
    raw: Buffer.isBuffer(request.body) ? request.body : undefined,
    host: request.headers.host,
    started: performance.now(),
    at: world ? house.now(world) : "",
    params: {},
    asked: { path: {}, query: {} },
    violations: [],
    facts: [],
  };
}

function readQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    query[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return { ...query };
}

function note(exchange: Exchange, sent: string | undefined, status: number | null, house: House): void {
  if (exchange.route?.control || exchange.path.startsWith("/_sandbox")) return;
  const bytes = 600 + (exchange.raw?.length ?? 0) + (sent?.length ?? 0);
  const world = exchange.world?.id ?? "default";
  house.journals.add(world, { exchange, sent, status, duration_ms: performance.now() - exchange.started, bytes });
  if (house.activity.listeners > 0) house.activity.tell({ type: "request", world, data: exchange.id });
}

/** What Express's body reader says, in our words. */
function unreadable(reason: unknown): HttpError {
  const { type, status, message } = reason as { type?: string; status?: number; message?: string };
  if (type === "entity.too.large") return new HttpError(413, `The body is larger than ${BODY_LIMIT} bytes. Send less.`);
  if (type === "encoding.unsupported") return new HttpError(415, `The content-encoding is not supported: ${message ?? ""}. Send the body plain, or as gzip, deflate or br.`);
  return new HttpError(status && status < 500 ? status : 400, `The request can't be read: ${message ?? "unknown"}. Send it again, whole.`);
}

