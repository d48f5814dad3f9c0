// Arms, lists and clears the faults of a world, and overrides its assumptions. A fault is checked against the API description: its operation and the
// fields that it changes must exist.
import type { FaultInput, RequestsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { getStatus } from "../../domain/kernel/error-codes.ts";
import { ANY, type FaultProblem, findFaultProblem, TOKEN_OPERATION } from "../../domain/kernel/fault-rules.ts";
import { readFixtureSeed } from "../../world/state/seed.ts";
import type { World } from "../../world/state/world.ts";
import { findExtensibleMembers, findOptionalMembers } from "../answer-mutators.ts";
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

/** Checks that the field can have unknown values. The fault would never hit otherwise. */
const checkExtensible: FaultCheck = ({ answer, operation = ANY }) => {
  const wanted = answer?.unknown_value;
  if (wanted === undefined || wanted === false) return undefined;
  const all = findExtensibleMembers();
  const fitting = findMembers(all, operation);
  if (wanted === true ? fitting.length > 0 : fitting.includes(wanted)) return undefined;
  const others = [...all.keys()].join(", ");
  const what =
    fitting.length === 0
      ? `no member of ${operation} takes an unknown value. Those of ${others} do.`
      : `${String(wanted).slice(0, 60)} takes no unknown value${locate(operation)}. These do: ${fitting.join(", ")}.`;
  return { member: "answer.unknown_value", what };
};

/** Lists the matching fields of an operation, or of all operations for `*`, sorted. */
const findMembers = (all: ReadonlyMap<string, readonly string[]>, operation: string): readonly string[] =>
  (operation === ANY ? [...new Set([...all.values()].flat())] : [...(all.get(operation) ?? [])]).sort();

const locate = (operation: string): string => (operation === ANY ? "" : ` in ${operation}`);

/** Checks that the fields are optional, because required ones can't be omitted. */
const checkOptional: FaultCheck = ({ answer, operation = ANY }) => {
  const wanted = answer?.leave_out;
  if (!Array.isArray(wanted)) return undefined;
  const fitting = findMembers(findOptionalMembers(), operation);
  const unknown = wanted.find((name) => !fitting.includes(name));
  if (unknown === undefined) return undefined;
  const what =
    fitting.length === 0
      ? `no member is optional${locate(operation)}.`
      : `${unknown.slice(0, 60)} is not optional${locate(operation)}. These are: ${fitting.join(", ")}.`;
  return { member: "answer.leave_out", what };
};

/** The checks in their order. Later checks depend on earlier ones, so only the first failure is reported. */
const CHECKS: readonly FaultCheck[] = [checkKnownOperation, findFaultProblem, checkExtensible, checkOptional];

/** Throws 400 for an impossible fault. `path`: its path in the request. */
function assertPossible(fault: FaultInput, application: RequestsPort, path: string): void {
  for (const check of CHECKS) {
    const found = check(fault, application);
    if (found) rejectInput(`${path}.${found.member}`, found.what);
  }
}
