// The faults that an integrator arms.

import type { FaultInput, RequestsPort, WorldsPort } from "../../app/application.ts";
import { getStatus } from "../../domain/kernel/error-codes.ts";
import { readFixtureSeed } from "../../world/state/seed.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { assertPossible } from "./fault-checks.ts";
import { done, handlersWith, ok } from "./handler.ts";

/** A code of the service implies its status. */
function withStatus(fault: FaultInput): FaultInput {
  const { code, status = code === undefined ? undefined : getStatus(code) } = fault;
  return status === undefined ? fault : { ...fault, status };
}

/** Without a seed of its own, a share is drawn by the seed of the world. */
function withSeed(fault: FaultInput, worldSeed: () => string): FaultInput {
  if (fault.share === undefined || fault.seed !== undefined) return fault;
  // In 32 bits; a seed that is no number counts as 0.
  return { ...fault, seed: Number(BigInt.asUintN(32, BigInt(/^-?\d+$/.exec(readFixtureSeed(worldSeed()))?.[0] ?? 0))) };
}

/** Completes faults for arming. Checks all of them first, and throws 400. `pathOf`: where each is in the request. */
function complete(
  faults: readonly FaultInput[],
  { application, world }: { application: RequestsPort; world: World },
  pathOf: (index: number) => string,
): FaultInput[] {
  for (const [index, fault] of faults.entries()) assertPossible(fault, application, pathOf(index));
  const seed = () => application.read(world, (tx) => tx.identity.get("identity")?.seed ?? "0");
  return faults.map((fault) => withSeed(withStatus(fault), seed));
}

export const faults = handlersWith<RequestsPort & WorldsPort>()({
  listFaults: ({ application, world }) => ok({ faults: application.faults.list(world.id) }),
  armFaults({ application, body, world }) {
    const all = complete(body.faults, { application, world }, (index) => `body.faults.${index}`);
    application.faults.arm(world.id, all);
    return ok({ faults: application.faults.list(world.id) });
  },
  addFault({ application, body, world }) {
    for (const fault of complete([body], { application, world }, () => "body")) application.faults.add(world.id, fault);
    return ok({ faults: application.faults.list(world.id) });
  },
  clearFaults({ application, query: { name }, world }) {
    const cleared = application.faults.clear(world.id, name);
    if (name !== undefined && cleared === 0)
      throw new HttpError(404, `No fault called ${name.slice(0, 100)} is armed.`, { list: "GET /_sandbox/faults" });
    return done;
  },
});
