// Arms, lists and clears the faults of a world.

import type { FaultInput, RequestsPort, WorldsPort } from "../../app/application.ts";
import { getStatus } from "../../domain/kernel/error-codes.ts";
import { readFixtureSeed } from "../../world/state/seed.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { assertPossible } from "./fault-checks.ts";
import { defineHandlers, done, ok } from "./handler.ts";

/** Adds the status that a code of the service implies. */
function withStatus(fault: FaultInput): FaultInput {
  const { code, status = code === undefined ? undefined : getStatus(code) } = fault;
  return status === undefined ? fault : { ...fault, status };
}

/** Adds the seed of the world to a share without a seed. */
function withSeed(fault: FaultInput, worldSeed: () => string): FaultInput {
  if (fault.share === undefined || fault.seed !== undefined) return fault;
  // The seed has 32 bits. A seed that is not a number counts as 0.
  return { ...fault, seed: Number(BigInt.asUintN(32, BigInt(/^-?\d+$/.exec(readFixtureSeed(worldSeed()))?.[0] ?? 0))) };
}

/** Completes faults. Checks all of them first, and throws 400. `pathOf` returns the path of each in the request. */
function complete(
  faults: readonly FaultInput[],
  { application, world }: { application: RequestsPort; world: World },
  pathOf: (index: number) => string,
): FaultInput[] {
  for (const [index, fault] of faults.entries()) assertPossible(fault, application, pathOf(index));
  const readSeed = () => application.read(world, (tx) => tx.identity.get("identity")?.seed ?? "0");
  return faults.map((fault) => withSeed(withStatus(fault), readSeed));
}

export const faults = defineHandlers<RequestsPort & WorldsPort>()({
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
