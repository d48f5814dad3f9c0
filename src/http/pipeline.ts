// Which steps a request goes through: those of the service, or those of the control surface.
import type { Application } from "../app/application.ts";
import { guard } from "./control/guard.ts";
import { command } from "./control/index.ts";
import { doDueWorkOfNamedWorld } from "./due-first.ts";
import type { Route } from "./exchange.ts";
import { awaitDurable, readRequestBody } from "./operate.ts";
import { validateRequest, validateResponse } from "./request-validation.ts";
import { type Step, steps } from "./steps.ts";
import { TOKEN_OPERATION } from "./token-endpoint.ts";

export const pipelines = {
  ...steps,
  control: [guard, readRequestBody, validateRequest, doDueWorkOfNamedWorld, command, awaitDurable, validateResponse],
} satisfies Record<string, readonly Step[]>;

export function pipelineOf({ control, id }: Route, { operations }: Application): readonly Step[] {
  if (control) return pipelines.control;
  if (id === TOKEN_OPERATION) return pipelines.token;
  return operations.has(id) ? pipelines.public : pipelines.document;
}
