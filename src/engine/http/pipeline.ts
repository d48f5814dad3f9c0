// Selects the steps of a request: those of the service, or those of the control API.
import type { RequestsPort } from "../app/application.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Access } from "./access.ts";
import { createGuard } from "./control/guard.ts";
import type { OuterHandlers } from "./control/handler.ts";
import { makeCommand } from "./control/index.ts";
import { performDueWorkOfNamedWorld } from "./due-first.ts";
import type { Route } from "./exchange.ts";
import { validateRequest, validateResponse } from "./request-validation.ts";
import { awaitDurable, readRequestBody } from "./run-operation.ts";
import { createSteps, type Step } from "./steps.ts";

export function makePipelines(
  { operations }: RequestsPort,
  handedIn: OuterHandlers,
  access: Access | undefined,
): (route: Route) => readonly Step[] {
  const command = makeCommand(handedIn);
  const steps = createSteps(access);
  // The guard runs before the body is parsed, and due work before the command, which may read the clock.
  const ofControl = [
    createGuard(access),
    readRequestBody,
    validateRequest,
    performDueWorkOfNamedWorld,
    command,
    awaitDurable,
    validateResponse,
  ];
  return ({ control, id }) => {
    if (control) return ofControl;
    if (id === TOKEN_OPERATION) return steps.token;
    return operations.has(id) ? steps.public : steps.document;
  };
}
