// The frame around the pipeline: the body is read, the route chooses the steps, and what they answered or threw is written.
import type { ServerResponse } from "node:http";
import type { Application, RequestsPort, WorldLease, WorldsPort } from "../app/application.ts";
import { StoreError } from "../world/store/store.ts";
import { asForeign } from "./assumption-responses.ts";
import type { HandedIn } from "./control/handler.ts";
import { crossOrigin } from "./cross-origin.ts";
import { documentPaths } from "./documents.ts";
import { ContractError, controlFailure, failure } from "./errors.ts";
import { type Answer, type Exchange, isRouted, type Sending } from "./exchange.ts";
import { scheduleFairly } from "./fair-scheduling.ts";
import { FaultTriggered, faultAnswer, pause } from "./fault-injection.ts";
import { logRequest } from "./log-request.ts";
import { observe, trace } from "./observe.ts";
import { makePipelines } from "./pipeline.ts";
import { type Arriving, type ReadBytes, readBytes } from "./read-bytes.ts";
import { rejectionBy } from "./rejection.ts";
import { parsed, textOf } from "./request-log-view.ts";
import { makeRouter, type Router, routesOf } from "./router.ts";
import { makeFinder } from "./routing.ts";
import { run } from "./steps.ts";
import { audit } from "./teams/audited.ts";
import { cutWhenRefused } from "./teams/stay-admitted.ts";
import { assertNoRepeatedHeader, exchangeOf, toExchange } from "./to-exchange.ts";
import { TOKEN_PATH } from "./token-endpoint.ts";
import { tokenFailure } from "./token-failure.ts";
import { breakConnection, lose, sentOf, write } from "./write.ts";

export type App = (request: Arriving, response: ServerResponse) => void;

/** The operations of the two documents as Prism reads them. */
type Specification = Record<"public" | "control", Parameters<typeof routesOf>[0]>;

/** It was lost while the request was carried out: what was read of it may not be what is stored. */
const MOVED = "The world of the request is moving to another node. Send the request again.";

/** Finds the world of a request, here or on another node, before the request is served; `unreadable`: why its body could not be read. */
export type Gate = (
  request: Arriving,
  response: ServerResponse,
  serve: (unreadable: unknown, guest: WorldLease | undefined) => void,
) => void;

export type MakeGate = (application: Application, router: Router, read: ReadBytes) => Gate;

/** Without a gate, every world lives here. `handedIn`: operations that are made above the transport. */
export function makeApp(
  application: Application,
  specification: Specification,
  handedIn: HandedIn,
  makeGate?: MakeGate,
): App {
  const pipelineOf = makePipelines(application, handedIn);
  const routes = [...routesOf(specification.public, false), ...routesOf(specification.control, true)];
  const router = makeRouter(routes, documentPaths);
  const find = makeFinder(router, application);
  // In turns, so that a crowd of requests leaves room for new connections.
  const begin = (request: Arriving, response: ServerResponse, unreadable: unknown, guest?: WorldLease) =>
    scheduleFairly(() => void serve(request, response, unreadable, guest).catch(lose(response, application.warn)));
  const gate = makeGate?.(application, router, readBytes);
  const app: App = (request, response) => {
    // It decides whether the request is served here.
    if (gate) return gate(request, response, (unreadable, guest) => begin(request, response, unreadable, guest));
    readBytes(request, response, (unreadable) => begin(request, response, unreadable));
  };
  const { cors } = application.settings;
  // Outermost, since a preflight is answered without a world.
  return cors.length > 0 ? crossOrigin(cors, app) : app;

  async function serve(
    request: Arriving,
    response: ServerResponse,
    unreadable: unknown,
    guest?: WorldLease,
  ): Promise<void> {
    const exchange = toExchange(request, application, unreadable);
    // Also where the client has gone before anybody asks.
    exchange.whenGone = (then) => void (response.destroyed ? then() : response.once("close", then));
    if (application.monitor.traces) trace(exchange, application);
    await giveAnswer(exchange);
    const { fault } = exchange;
    // Before it is written: another node may have answered for the world since.
    if (guest?.isLost) exchange.answer = failed(exchange, new StoreError(MOVED), application);
    // A stream would go on telling of a world that is elsewhere.
    if (exchange.answer?.stream) guest?.onGone(() => response.end());
    if (exchange.answer?.stream && application.teams) cutWhenRefused(exchange, response, application.teams);
    const sent = fault?.connection ? breakConnection(exchange, response, fault.connection) : write(exchange, response);
    // Null: the client got no answer.
    const status = fault?.connection ? null : (exchange.answer?.status ?? null);
    observe(exchange, status, application);
    // Last, so that the log has what was really sent.
    logRequest(exchange, sent, status, application);
  }

  /** Until it has its answer. */
  async function giveAnswer(exchange: Exchange): Promise<void> {
    try {
      // Before anything reads one of them.
      assertNoRepeatedHeader(exchange);
      const found = find(exchange);
      exchange.answer = found instanceof Promise ? await found : found;
      if (exchange.route?.control) exchange.again = (sending) => again(exchange, sending);
      const waiting = isRouted(exchange) ? run(pipelineOf(exchange.route), exchange, application) : undefined;
      if (waiting) await waiting;
    } catch (reason) {
      // Its answer is made below, as that of every fault.
      if (!(reason instanceof FaultTriggered))
        exchange.answer = failed(exchange, await afterDurable(reason, exchange, application), application);
    }
    const { fault } = exchange;
    // After the work: only the answer is late.
    if (fault?.delay_ms) await pause(fault.delay_ms);
    if (fault) exchange.answer = faultAnswer(fault, exchange) ?? exchange.answer ?? { status: 200 };
    const { teams } = application;
    // With the status that is sent, hence at the end.
    if (teams && isRouted(exchange) && exchange.route.control) await audit(exchange, teams);
  }

  /** Another request, in the place of the one that asks for it; the log has it as one of its own. */
  async function again(asking: Exchange, sending: Sending) {
    const exchange = exchangeOf(sending, { ...asking, unreadable: undefined }, application);
    // It does no more than who asks may do.
    exchange.principal = asking.principal;
    exchange.sentBy = "person";
    await giveAnswer(exchange);
    const status = exchange.fault?.connection ? null : (exchange.answer?.status ?? null);
    const sent = status === null ? undefined : sentOf(exchange.answer);
    observe(exchange, status, application);
    logRequest(exchange, sent, status, application);
    return { id: exchange.id, status, answer: parsed(textOf(sent)) };
  }
}

/** A refusal may rest on a change that is not durable yet: it waits for it too. */
async function afterDurable(reason: unknown, { world }: Exchange, application: RequestsPort): Promise<unknown> {
  try {
    await application.durable(world?.id);
    return reason;
  } catch (unsure) {
    return unsure;
  }
}

function formatFailure(path: string): typeof failure {
  if (path === TOKEN_PATH) return tokenFailure;
  // The service has no other members than a code and a message.
  return path.startsWith("/v1/") ? failure : controlFailure;
}

/** The answer to what was thrown; the request log has more of it than the client. */
function failed(exchange: Exchange, thrown: unknown, application: WorldsPort): Answer {
  const reason = asForeign(thrown, exchange, application);
  if (reason instanceof ContractError) exchange.violations = [...reason.violations];
  const answer = formatFailure(exchange.path)(reason, exchange.id);
  exchange.rejection = rejectionBy(reason, exchange, answer);
  // For the log only; the client gets no inner details.
  if (answer.status === 500) exchange.trouble = String((reason as Error)?.stack ?? reason);
  return answer;
}
