// The steps of a request to the service in their order, one list for each kind of route. A step answers, adds what it finds out to the
// exchange, or throws what errors.ts words, which ends the list. From `runOperation` to its commit nothing yields.
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
import { leaveOutNulls, validateRequest, validateResponse } from "./request-validation.ts";
import { awaitDurable, cutFractions, findSubject, readRequestBody, runOperation } from "./run-operation.ts";
import { findClientWorld, issueToken } from "./token.ts";
import { revokeUsedToken } from "./token-faults.ts";
import { rejectUnknown } from "./undocumented.ts";

/** An answer replaces the one that a step before it gave. */
// biome-ignore lint/suspicious/noConfusingVoidType: a step without an answer is a function that returns nothing
export type Step<Ports = Application> = (exchange: Routed, ports: Ports) => Answer | void | Promise<Answer | void>;

/** The steps by the kind of route. A commit is awaited before an answer is spoilt or lost by a fault: the change is then sure. */
export function createSteps(access?: Pick<Access, "limit">) {
  const limitAccount = access ? [access.limit] : [];
  // Those that can reject a request before its operation does. The order decides which of several problems is reported.
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
    leaveOutNulls,
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

/** Those of a sandbox without accounts. */
export const steps = createSteps();

/** Waits only for a step that has to wait: most requests are answered in one go. */
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
