// Lists the steps of a request in their order, for each kind of route. A step returns a response, adds its results to
// the exchange, or throws an error, which ends the list. `runOperation` is synchronous up to its commit. Assumption:
// rate-limit.
import type { Application, RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { World } from "../world/state/world.ts";
import { createGuard } from "./control/guard.ts";
import { type OuterHandlers, readNamedWorld } from "./control/handler.ts";
import { createCommand } from "./control/index.ts";
import { serveDocument } from "./documents.ts";
import { HttpError } from "./errors.ts";
import type { Access, Answer, Exchange, Route, Routed } from "./exchange.ts";
import { identify } from "./identify.ts";
import { bindRoute } from "./in-force.ts";
import { injectAnswerFaults, injectFaultAfter, injectFaultBefore } from "./inject-faults.ts";
import { omitNullFields, validateRequest, validateResponse } from "./request-validation.ts";
import { awaitDurable, cutFractions, findSubject, readRequestBody, runOperation } from "./run-operation.ts";
import { findClientWorld, issueToken, revokeUsedToken } from "./token.ts";
import { rejectUnknown } from "./undocumented.ts";

/** A returned response replaces the one of an earlier step. */
// biome-ignore lint/suspicious/noConfusingVoidType: a step without an answer is a function that returns nothing
export type Step<Ports = Application> = (exchange: Routed, ports: Ports) => Answer | void | Promise<Answer | void>;

/** Creates the steps by the kind of route. Faults affect the response only after the commit is durable. */
function createSteps(access?: Pick<Access, "limit">) {
  const limitAccount = access ? [access.limit] : [];
  // These steps can reject a request before its operation runs. Their order determines which of several problems is reported.
  const beforeOperate = [
    revokeUsedToken,
    identify,
    beginAsRun,
    limitRate,
    ...limitAccount,
    injectFaultBefore,
    performDueWork,
    readRequestBody,
    bindRoute,
    findSubject,
    omitNullFields,
    rejectUnknown,
    validateRequest,
  ];
  const afterOperate = [cutFractions, awaitDurable, validateResponse, injectAnswerFaults, injectFaultAfter];
  const issue = [injectFaultBefore, performDueWork, issueToken, awaitDurable, injectFaultAfter];
  return {
    beforeOperate,
    public: [...beforeOperate, runOperation, ...afterOperate],
    token: [findClientWorld, beginAsRun, ...limitAccount, ...issue],
    document: [readRequestBody, bindRoute, serveDocument, validateResponse],
  } satisfies Record<string, readonly Step[]>;
}

/** The steps of a sandbox without accounts. */
export const steps = createSteps();

/** Runs the steps. Most requests run synchronously, because it waits only for steps that return a promise. */
export function run<Ports>(
  steps: readonly Step<Ports>[],
  exchange: Routed,
  application: Ports,
  first = 0,
): Promise<void> | undefined {
  for (let index = first; index < steps.length; index++) {
    const answer = steps[index]?.(exchange, application);
    if (answer instanceof Promise) {
      return answer.then((awaited) => {
        if (awaited) exchange.answer = awaited;
        return run(steps, exchange, application, index + 1);
      });
    }
    if (answer) exchange.answer = answer;
  }
  return undefined;
}

/** Returns the function that selects the steps of a route: those of the service, or those of the control API. */
export function createPipelines(
  { operations }: RequestsPort,
  handlers: OuterHandlers,
  access: Access | undefined,
): (route: Route) => readonly Step[] {
  const steps = createSteps(access);
  const command = createCommand(handlers);
  // The guard runs before the body is parsed, and due work before the command, which may read the clock.
  const beforeCommand = [createGuard(access), readRequestBody, validateRequest, performDueWorkOfNamedWorld];
  const control: readonly Step[] = [...beforeCommand, command, awaitDurable, validateResponse];
  return ({ control: isControl, id }) => {
    if (isControl) return control;
    if (id === TOKEN_OPERATION) return steps.token;
    return operations.has(id) ? steps.public : steps.document;
  };
}

/**
 * Applies the acts and assumptions of a run to each of its worlds before the first request. They are not applied when
 * the world is created, because the library may still replace its state.
 */
function beginAsRun({ world }: Exchange, application: WorldsPort & RequestsPort): void {
  const run = world && application.runs.takePending(world.id);
  if (!world || !run) return;
  if (Object.keys(run.assumptions).length > 0) application.assumptions.set(world, run.assumptions);
  for (const { act, input } of run.acts) {
    try {
      application.acts.perform(world, act, input, { kind: "world", id: "setMark" });
    } catch (reason) {
      // A world of another fixture may lack the records of the act.
      if (!(reason instanceof DomainError)) throw reason;
    }
  }
}

/**
 * Performs due work. Returns undefined if none is due, which is common. Looks up the world again, because a reset,
 * restore or import replaces it.
 */
function performDueWork({ world }: Exchange, application: WorldsPort & TimePort): Promise<void> | undefined {
  const current = world && application.worlds.get(world.id);
  return current && application.performDueWork(current);
}

/** Performs due work before a control request. Ignores failures, because the world can still be reset or imported. */
function performDueWorkOfNamedWorld(exchange: Exchange, application: WorldsPort & TimePort): Promise<void> | undefined {
  const world = application.worlds.get(readNamedWorld(exchange) ?? "default");
  try {
    return world && application.performDueWork(world)?.catch(() => undefined);
  } catch {
    return undefined;
  }
}

const MINUTE = 60_000;
/** World → windows of its clients. The key is the object and not the id, so that a reset begins new windows. */
const windows = new WeakMap<World, Map<string, { since: number; count: number }>>();

/**
 * Implements `--rate-limit N/min` with a fixed window of one minute for each client. Clients wait at least a minute,
 * even if the window ends earlier.
 */
function limitRate(exchange: Exchange, application: RequestsPort): void {
  const { rateLimit } = application.settings;
  const { world } = exchange;
  if (rateLimit === undefined || !world || !exchange.key) return;
  const clients = windows.get(world) ?? new Map<string, { since: number; count: number }>();
  windows.set(world, clients);
  const known = clients.get(exchange.key.id);
  // The window uses real time, because the clock of a world may be held.
  const current = known && exchange.started - known.since < MINUTE ? known : { since: exchange.started, count: 0 };
  current.count++;
  clients.set(exchange.key.id, current);
  if (current.count <= rateLimit) return;
  const message = `Rate limit exceeded: this client sent more than ${rateLimit} requests per minute. Wait at least a minute, then retry.`;
  throw new HttpError(429, message, {
    headers: { "retry-after": "60" },
    rule: "rate-limit",
    values: { limit: rateLimit, count: current.count, seconds: 60 },
  });
}
