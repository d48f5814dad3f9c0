// Checks a fault against the API description: its operation and the fields that it changes must exist.
import type { FaultInput, RequestsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { ANY, type FaultProblem, findFaultProblem, TOKEN_OPERATION } from "../../domain/kernel/fault-rules.ts";
import { findExtensibleMembers, findOptionalMembers } from "../fault-operations.ts";
import { describeUnknownOperation } from "./handler.ts";

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
export function assertPossible(fault: FaultInput, application: RequestsPort, path: string): void {
  for (const check of CHECKS) {
    const found = check(fault, application);
    if (found) rejectInput(`${path}.${found.member}`, found.what);
  }
}
