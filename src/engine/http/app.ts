// Handles a request: the path selects the steps, and their result or error becomes the response.
import type { ServerResponse } from "node:http";
import type { Application, RequestsPort, WorldsPort } from "../app/application.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { parseBody } from "../log/redact.ts";
import { StoreError } from "../log/store-error.ts";
import { receiveBody } from "./body.ts";
import type { OuterHandlers } from "./control/handler.ts";
import { ContractError, HttpError, toControlFailure, toFailure, toRejection } from "./errors.ts";
import {
  type Access,
  type Answer,
  type ErrorMiddleware,
  type Exchange,
  isRouted,
  type Match,
  type Middleware,
  type RawRequest,
  type Route,
  type SandboxRequest,
  type SandboxRouter,
  TOKEN_PATH,
} from "./exchange.ts";
import { scheduleFairly } from "./fair-scheduling.ts";
import { logByToken } from "./identify.ts";
import { readAssumption } from "./in-force.ts";
import { createFaultAnswer, FaultTriggered, pause } from "./inject-faults.ts";
import { logRequest, observe, trace } from "./log-request.ts";
import { serveStaticFiles } from "./pages/built-files.ts";
import { allowOrigins, createSandboxRouter, matchPath } from "./sandbox-router.ts";
import { createPipelines, run, type Step } from "./steps.ts";
import { assertNoRepeatedHeader, createExchange, toExchange } from "./to-exchange.ts";
import { toTokenFailure } from "./token.ts";
import { createMethodNotAllowed, createNotFound } from "./unknown-path.ts";
import { breakConnection, encodeSent, reportWriteFailure, write } from "./write.ts";

/** The message for a request whose world moved in the meantime, because the values that were read may not be the stored ones. */
const MOVED = "The world of the request is moving to another node. Send the request again.";

interface AppParts {
  /** Operations of the control API that are implemented above the transport. */
  handlers: OuterHandlers;
  /** Present in a sandbox with accounts. */
  access?: Access | undefined;
  /** Runs before a request is served, such as to find the process that has its world. */
  middleware?: Middleware | undefined;
}

export function createApp(application: Application, { handlers, access, middleware }: AppParts): SandboxRouter {
  const front = new Front(application, { handlers, access });
  const { cors } = application.settings;
  // A preflight is answered without a world.
  const first = [...(cors.length > 0 ? [allowOrigins(cors)] : []), serveStaticFiles()];
  return createSandboxRouter(first, [...(middleware ? [middleware] : []), receiveBody, front.serve], front.handleError);
}

class Front {
  readonly #application: Application;
  readonly #access: Access | undefined;
  readonly #findSteps: (route: Route) => readonly Step[];

  constructor(application: Application, { handlers, access }: AppParts) {
    this.#application = application;
    this.#access = access;
    this.#findSteps = createPipelines(application, handlers, access);
  }

  /** Serves a request. Requests take turns, so that new connections are accepted under load. */
  readonly serve: Middleware = (request, response, next) =>
    scheduleFairly(() => {
      const exchange = toExchange(request, this.#application);
      request.exchange = exchange;
      // The client may disconnect before a step subscribes.
      exchange.onClose = (then) => void (response.destroyed ? then() : response.once("close", then));
      if (this.#application.monitor.traces) trace(exchange, this.#application);
      void this.#perform(exchange, request)
        .then(() => this.#respond(exchange, request, response), next)
        .catch(reportWriteFailure(response, this.#application.warn));
    });

  /** Express recognizes an error middleware by its four parameters. */
  readonly handleError: ErrorMiddleware = (reason, request, response, _next) => {
    const { exchange } = request;
    if (exchange) {
      void this.#fail(exchange, reason)
        .then(() => this.#respond(exchange, request, response))
        .catch(reportWriteFailure(response, this.#application.warn));
      return;
    }
    // The middleware before the steps has failed.
    const rejected = toExchange(request, this.#application);
    rejected.answer = describeFailure(rejected, reason);
    write(rejected, response);
  };

  /** Runs the steps until the exchange has its response. */
  async #perform(exchange: Exchange, { match, rawHeaders }: SandboxRequest): Promise<void> {
    // This check precedes every step that reads one of the headers.
    assertNoRepeatedHeader({ rawHeaders });
    exchange.params = match?.params ?? {};
    if (!match?.route) {
      exchange.answer = await this.#answerWithoutOperation(exchange, match);
      return;
    }
    exchange.route = match.route;
    if (match.route.control) exchange.resend = (sending) => this.#sendAgain(exchange, sending);
    if (isRouted(exchange)) await run(this.#findSteps(match.route), exchange, this.#application);
  }

  async #answerWithoutOperation(exchange: Exchange, match: Match | undefined): Promise<Answer> {
    const { document, allow } = match ?? {};
    exchange.isPage = document?.isPage ?? false;
    const answer = document && (await document.make(this.#application, exchange));
    if (answer) return answer;
    logByToken(exchange, this.#application);
    if (allow === undefined) throw createNotFound(exchange);
    if (exchange.method !== "OPTIONS") throw createMethodNotAllowed(exchange, allow);
    return { status: 204, headers: { allow } };
  }

  async #fail(exchange: Exchange, reason: unknown): Promise<void> {
    // The fault determines the response.
    if (reason instanceof FaultTriggered) return;
    const thrown = await waitUntilDurable(reason, exchange, this.#application);
    exchange.answer = toFailedAnswer(exchange, thrown, this.#application);
  }

  async #respond(exchange: Exchange, { lease }: SandboxRequest, response: ServerResponse): Promise<void> {
    await this.#finishAnswer(exchange);
    // Another node may have changed the world since, so this check runs right before the response is written.
    if (lease?.isLost) exchange.answer = toFailedAnswer(exchange, new StoreError(MOVED), this.#application);
    if (exchange.answer?.stream) {
      // The stream must not continue to report a world that is on another node.
      lease?.onGone(() => response.end());
      this.#access?.follow(exchange, response);
    }
    const connection = exchange.fault?.connection;
    const sent = connection ? breakConnection(exchange, response, connection) : write(exchange, response);
    this.#record(exchange, sent);
  }

  async #finishAnswer(exchange: Exchange): Promise<void> {
    const { fault } = exchange;
    // The delay follows the work, so that only the response is late.
    if (fault?.delay_ms) await pause(fault.delay_ms);
    if (fault) exchange.answer = createFaultAnswer(fault, exchange) ?? exchange.answer ?? { status: 200 };
    // The record has the status that is sent, so it is the last step.
    if (isRouted(exchange) && exchange.route.control) await this.#access?.finish(exchange);
  }

  /** Logs the response that was actually sent. */
  #record(exchange: Exchange, sent: ReturnType<typeof write>): number | null {
    // The status is null if the client got no response.
    const status = exchange.fault?.connection ? null : (exchange.answer?.status ?? null);
    observe(exchange, status, this.#application);
    logRequest(exchange, sent, status, this.#application);
    return status;
  }

  /** Performs another request on behalf of this one. The log lists it as a request of its own. */
  async #sendAgain(asking: Exchange, sending: RawRequest) {
    const { localAddress, httpVersion, mount } = asking;
    const received = { unreadable: undefined, localAddress, httpVersion, mount };
    const exchange = createExchange(sending, received, this.#application);
    // The request has the rights of the caller.
    exchange.caller = asking.caller;
    exchange.sentBy = "person";
    const request = { method: sending.method, url: sending.target, rawHeaders: [] as string[] } as SandboxRequest;
    matchPath(request, {} as ServerResponse, () => undefined);
    await this.#perform(exchange, request).catch((reason) => this.#fail(exchange, reason));
    await this.#finishAnswer(exchange);
    const sent = exchange.fault?.connection ? undefined : encodeSent(exchange.answer);
    const status = this.#record(exchange, sent);
    return { id: exchange.id, status, answer: parseBody(sent?.toString()) };
  }
}

/** Waits for durability before a rejection is sent, because it may depend on a change that is not durable yet. */
async function waitUntilDurable(reason: unknown, { world }: Exchange, application: RequestsPort): Promise<unknown> {
  try {
    await application.waitUntilDurable(world?.id);
    return reason;
  } catch (unsure) {
    return unsure;
  }
}

function describeFailure({ path, id }: Exchange, reason: unknown): Answer {
  if (path === TOKEN_PATH) return toTokenFailure(reason, id);
  // Errors of the service have only a code and a message.
  return (path.startsWith("/v1/") ? toFailure : toControlFailure)(reason, id);
}

/** Creates the response to an error. The request log has more details than the client gets. */
function toFailedAnswer(exchange: Exchange, thrown: unknown, application: WorldsPort): Answer {
  const reason = toForeignError(thrown, exchange, application);
  if (reason instanceof ContractError) exchange.violations = [...reason.violations];
  const answer = describeFailure(exchange, reason);
  exchange.rejection = toRejection(reason, exchange, answer);
  // Only the log gets internal details.
  if (answer.status === 500) exchange.internalError = String((reason as Error)?.stack ?? reason);
  return answer;
}

/** Replaces a 404 by a 403 if another company has the id, in worlds with that assumption. */
function toForeignError(reason: unknown, exchange: Exchange, application: WorldsPort): unknown {
  const { params, world: own } = exchange;
  if (!(reason instanceof DomainError) || reason.status !== 404 || !own) return reason;
  if (readAssumption(exchange, application, "other-company") !== "403") return reason;
  const ids = Object.values(params);
  const others = application.worlds.all().filter((world) => world.id !== own.id);
  const has = (world: typeof own) => ids.some((id) => world.find(id) !== undefined);
  // An id that no company has stays a 404.
  if (has(own) || !others.some(has)) return reason;
  return new HttpError(403, `${ids.join(", ")} belongs to another company. Use a token of that company.`, {
    rule: "other-company",
    values: { id: ids.join(", ") },
  });
}
