// The faults that an integrator arms.

import type { FaultInput, RequestsPort, WorldsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { playedWith } from "../../world/state/seed.ts";
import { statusOf } from "../errors.ts";
import { mustFit } from "./fault-checks.ts";
import { done, handlersWith, ok } from "./handler.ts";

/** A code of the service implies its status. */
function withStatus(fault: FaultInput, index: number): FaultInput {
  const { status, code } = fault;
  if (status !== undefined || code === undefined) return fault;
  const documented = statusOf(code);
  if (documented !== undefined) return { ...fault, status: documented };
  const what = `it is needed here, since the service has no code ${code.slice(0, 60)} to know it from.`;
  return reject("INVALID_INPUT", { path: `body.faults.${index}.status`, what });
}

/** A share is drawn by the seed of the world where it names none. */
function withSeed(fault: FaultInput, worldSeed: () => string): FaultInput {
  if (fault.share === undefined || fault.seed !== undefined) return fault;
  // In 32 bits; a seed that is no number counts as 0.
  return { ...fault, seed: Number(BigInt.asUintN(32, BigInt(/^-?\d+$/.exec(playedWith(worldSeed()))?.[0] ?? 0))) };
}

export const faults = handlersWith<RequestsPort & WorldsPort>()({
  listFaults: ({ application, world }) => ok({ faults: application.faults.list(world.id) }),
  armFaults({ application, body, world }) {
    mustFit(body.faults, application);
    const seed = () => application.read(world, (tx) => tx.identity.get("identity")?.seed ?? "0");
    const complete = body.faults.map(withStatus).map((fault) => withSeed(fault, seed));
    application.faults.arm(world.id, complete);
    return ok({ faults: application.faults.list(world.id) });
  },
  clearFaults({ application, world }) {
    application.faults.clear(world.id);
    return done;
  },
});
