// Lists the steps of a request to the service in their order, for each kind of route. A step returns a response, adds its results to the exchange, or
// throws an error, which ends the list. `runOperation` is synchronous up to its commit.
import type { Application } from "../app/application.ts";
import type { Access } from "./access.ts";
import { beginAsRun } from "./begin-as-run.ts";
import { serveDocument } from "./documents.ts";
import { performDueWork } from "./due-first.ts";
import type { Answer, Routed } from "./exchange.ts";
import { injectAnswerFaults } from "./fault-effects.ts";
import { injectFaultAfter, injectFaultBefore } from "./fault-injection.ts";
import { identify } from "./identify.ts";
import { bindRoute } from "./in-force.ts";
import { limitRate } from "./rate-limit.ts";
import { omitNullFields, validateRequest, validateResponse } from "./request-validation.ts";
import { awaitDurable, cutFractions, findSubject, readRequestBody, runOperation } from "./run-operation.ts";
import { findClientWorld, issueToken } from "./token.ts";
import { revokeUsedToken } from "./token-faults.ts";
import { rejectUnknown } from "./undocumented.ts";

/** A returned response replaces the one of an earlier step. */
// biome-ignore lint/suspicious/noConfusingVoidType: a step without an answer is a function that returns nothing
export type Step<Ports = Application> = (exchange: Routed, ports: Ports) => Answer | void | Promise<Answer | void>;

/** Creates the steps by the kind of route. Faults affect the response only after the commit is durable. */
export function createSteps(access?: Pick<Access, "limit">) {
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
