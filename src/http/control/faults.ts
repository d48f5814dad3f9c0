// The faults that an integrator arms, and the assumptions in force.

import type { Application, Fault } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { HttpError, statusOf } from "../errors.ts";
import { TOKEN_OPERATION } from "../token.ts";
import { chosenWorld, done, type Handlers, noOperation, ok } from "./handler.ts";

function mustBeKnown(faults: readonly Fault[], application: Application): void {
  const known = [...application.operations.keys(), TOKEN_OPERATION];
  for (const [index, { operation }] of faults.entries()) {
    if (known.includes(operation)) continue;
    throw new HttpError(400, `body.faults.${index}.operation: ${noOperation(operation, known)}`);
  }
}

/** A broken connection carries no answer, so one of the two would be ignored silently. */
function mustBeOneThing({ status, code, connection }: Fault, index: number): void {
  if (connection === undefined || (status === undefined && code === undefined)) return;
  const other = status === undefined ? "code" : "status";
  const path = `body.faults.${index}.connection`;
  reject("INVALID_INPUT", {
    path,
    what: `it breaks the connection, so there is no answer with a ${other}. Leave one out.`,
  });
}

/** The header is of an answer. */
function mustHaveAnswer({ status, retry_after }: Fault, index: number): void {
  if (retry_after === undefined || status !== undefined) return;
  const what = "it is a header of the answer of the fault. Give a status or a code too.";
  reject("INVALID_INPUT", { path: `body.faults.${index}.retry_after`, what });
}

/** A code of the service implies its status. */
function withStatus(fault: Fault, index: number): Fault {
  const { status, code } = fault;
  if (status !== undefined || code === undefined) return fault;
  const documented = statusOf(code);
  if (documented !== undefined) return { ...fault, status: documented };
  const what = `it is needed here, since the service has no code ${code.slice(0, 60)} to know it from.`;
  return reject("INVALID_INPUT", { path: `body.faults.${index}.status`, what });
}

export const faults: Handlers<"listFaults" | "armFaults" | "clearFaults" | "listAssumptions" | "setAssumptions"> = {
  listFaults: (requested) => ok({ faults: requested.application.faults.list(chosenWorld(requested).id) }),
  armFaults(requested) {
    const { application, body } = requested;
    const armed = body.faults;
    mustBeKnown(armed, application);
    armed.forEach(mustBeOneThing);
    const { id } = chosenWorld(requested);
    const complete = armed.map(withStatus);
    complete.forEach(mustHaveAnswer);
    application.faults.arm(id, complete);
    return ok({ faults: application.faults.list(id) });
  },
  clearFaults(requested) {
    requested.application.faults.clear(chosenWorld(requested).id);
    return done;
  },
  listAssumptions: (requested) => ok({ items: requested.application.assumptions.all(chosenWorld(requested)) }),
  setAssumptions(requested) {
    const { application, body } = requested;
    const world = chosenWorld(requested);
    application.assumptions.set(world, body);
    return ok({ items: application.assumptions.all(world) });
  },
};
