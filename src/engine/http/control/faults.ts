// Arms, lists and clears the faults of a world, and overrides its assumptions. A fault is checked against the API
// description: its operation and the fields that it changes must exist.
import type { FaultInput, RequestsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { getStatus } from "../../domain/kernel/error-codes.ts";
import { ANY, type FaultProblem, findFaultProblem, TOKEN_OPERATION } from "../../domain/kernel/fault-rules.ts";
import { readFixtureSeed } from "../../world/state/seed.ts";
import type { World } from "../../world/state/world.ts";
import { isExtensibleField, isOptionalField, listResponseFields } from "../answer-mutators.ts";
import { HttpError } from "../errors.ts";
import { defineHandlers, describeUnknownOperation, done, ok } from "./handler.ts";

/** Adds the status that a code of the service implies. */
function withStatus(fault: FaultInput): FaultInput {
  const { code, status = code === undefined ? undefined : getStatus(code) } = fault;
  return status === undefined ? fault : { ...fault, status };
}

/** Adds the seed of the world to a share without a seed. */
function withSeed(fault: FaultInput, worldSeed: () => string): FaultInput {
  if (fault.share === undefined || fault.seed !== undefined) return fault;
  // The seed has 32 bits. A seed that is not a number counts as 0.
  const digits = /^-?\d+$/.exec(readFixtureSeed(worldSeed()))?.[0] ?? 0;
  return { ...fault, seed: Number(BigInt.asUintN(32, BigInt(digits))) };
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

export const faults = defineHandlers({
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
  listAssumptions: ({ application, world }) => ok({ items: application.assumptions.all(world) }),
  setAssumptions({ application, body, world }) {
    application.assumptions.set(world, body);
    return ok({ items: application.assumptions.all(world) });
  },
});

type FaultCheck = (fault: FaultInput, application: RequestsPort) => FaultProblem | undefined;

const checkKnownOperation: FaultCheck = ({ operation = ANY }, { operations }) => {
  // Faults can also hit the token endpoint, which is not in the table of operations.
  const known = [...operations.keys(), TOKEN_OPERATION];
  return operation === ANY || known.includes(operation)
    ? undefined
    : { member: "operation", what: describeUnknownOperation(operation, known, " that a fault can hit") };
};

/** Checks that responses have the fields that the fault changes. The fault would never hit otherwise. */
const checkChangedFields: FaultCheck = ({ answer, operation = ANY }) => {
  for (const [name, isChanged, kind] of [
    ["unknown_value", isExtensibleField, "an extensible field"],
    ["leave_out", isOptionalField, "an optional field"],
  ] as const) {
    const wanted = answer?.[name];
    const known = wanted ? listResponseFields(operation, isChanged) : [];
    const wrong = typeof wanted === "boolean" ? undefined : [wanted ?? []].flat().find((each) => !known.includes(each));
    if (!wanted || (known.length > 0 && wrong === undefined)) continue;
    const location = operation === ANY ? "any operation" : operation;
    const what =
      known.length === 0
        ? `no response of ${location} has ${kind}.`
        : `${wrong?.slice(0, 60)} is not ${kind} of ${location}. These are: ${known.join(", ")}.`;
    return { member: `answer.${name}`, what };
  }
  return undefined;
};

/**
 * Throws 400 for an impossible fault. `path`: its path in the request. Only the first problem is reported, because
 * later checks depend on earlier ones.
 */
function assertPossible(fault: FaultInput, application: RequestsPort, path: string): void {
  for (const check of [checkKnownOperation, findFaultProblem, checkChangedFields]) {
    const found = check(fault, application);
    if (found) rejectInput(`${path}.${found.member}`, found.what);
  }
}
