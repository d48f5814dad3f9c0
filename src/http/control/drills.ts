// Misbehaviour that an integrator asks for, and the answers to open questions that are in force.

import type { Application } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { HttpError, statusOf } from "../errors.ts";
import type { Fault } from "../faults.ts";
import { chosenWorld, done, type Handlers, noOperation, ok } from "./handler.ts";

function mustBeKnown(faults: readonly Fault[], application: Application): void {
  const known = [...application.operations.keys(), "createToken"];
  for (const [index, { operation }] of faults.entries()) {
    if (known.includes(operation)) continue;
    throw new HttpError(400, `body.faults.${index}.operation: ${noOperation(operation, known)}`);
  }
}

/** A broken connection carries no answer, so one of the two would be lost without a word. */
function mustBeOneThing({ status, code, connection }: Fault, index: number): void {
  if (connection === undefined || (status === undefined && code === undefined)) return;
  const other = status === undefined ? "code" : "status";
  const place = `body.faults.${index}.connection`;
  reject("INVALID_INPUT", {
    place,
    what: `it breaks the connection, so there is no answer with a ${other}. Leave one out.`,
  });
}

/** A code of the service brings its usual status with it. */
function withStatus(fault: Fault, index: number): Fault {
  const { status, code } = fault;
  if (status !== undefined || code === undefined) return fault;
  const usual = statusOf(code);
  if (usual !== undefined) return { ...fault, status: usual };
  const what = `it is needed here, since the service has no code ${code.slice(0, 60)} to know it from.`;
  return reject("INVALID_INPUT", { place: `body.faults.${index}.status`, what });
}

export const drills: Handlers = {
  listFaults: (asked) => ok({ faults: asked.application.faults.list(chosenWorld(asked).id) }),
  armFaults(asked) {
    const { faults } = asked.body as { faults: Fault[] };
    mustBeKnown(faults, asked.application);
    faults.forEach(mustBeOneThing);
    asked.application.faults.arm(chosenWorld(asked).id, faults.map(withStatus));
    return ok({ faults: asked.application.faults.list(chosenWorld(asked).id) });
  },
  clearFaults(asked) {
    asked.application.faults.clear(chosenWorld(asked).id);
    return done;
  },
  listAssumptions: (asked) => ok({ items: asked.application.assumptions.all(chosenWorld(asked)) }),
  setAssumptions(asked) {
    asked.application.assumptions.set(chosenWorld(asked), asked.body as Record<string, string>);
    return ok({ items: asked.application.assumptions.all(chosenWorld(asked)) });
  },
};
