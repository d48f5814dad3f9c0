// What a fault may be by the document of the service, beside its rules: of an operation that there is, and of members that its answers have.
import type { FaultInput, RequestsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { ANY, brokenRule, type FaultProblem, TOKEN_OPERATION } from "../../domain/kernel/fault-rules.ts";
import { extensibleMembers, optionalMembers } from "../fault-operations.ts";
import { noOperation } from "./handler.ts";

type FaultCheck = (fault: FaultInput, application: RequestsPort) => FaultProblem | undefined;

const isKnown: FaultCheck = ({ operation = ANY }, { operations }) => {
  // The token endpoint is no operation of the table, but faults hit it too.
  const known = [...operations.keys(), TOKEN_OPERATION];
  return operation === ANY || known.includes(operation)
    ? undefined
    : { member: "operation", what: noOperation(operation, known, " that a fault can hit") };
};

/** At any other member it would never hit. */
const isExtensible: FaultCheck = ({ answer, operation = ANY }) => {
  const wanted = answer?.unknown_value;
  if (wanted === undefined || wanted === false) return undefined;
  const all = extensibleMembers();
  const fitting = fittingIn(all, operation);
  if (wanted === true ? fitting.length > 0 : fitting.includes(wanted)) return undefined;
  const member = "answer.unknown_value";
  if (fitting.length === 0) {
    const others = [...all.keys()].join(", ");
    return { member, what: `no member of ${operation} takes an unknown value. Those of ${others} do.` };
  }
  const where = operation === ANY ? "" : ` in ${operation}`;
  const name = String(wanted).slice(0, 60);
  return { member, what: `${name} takes no unknown value${where}. These do: ${[...fitting].sort().join(", ")}.` };
};

/** Any operation: a member that one of them has will do. */
const fittingIn = (all: ReadonlyMap<string, readonly string[]>, operation: string): readonly string[] =>
  operation === ANY ? [...new Set([...all.values()].flat())] : (all.get(operation) ?? []);

/** One that is always there would never be left out. */
const isOptional: FaultCheck = ({ answer, operation = ANY }) => {
  const wanted = answer?.leave_out;
  if (!Array.isArray(wanted)) return undefined;
  const fitting = fittingIn(optionalMembers(), operation);
  const [strange] = wanted.filter((name) => !fitting.includes(name));
  if (strange === undefined) return undefined;
  const member = "answer.leave_out";
  const where = operation === ANY ? "" : ` in ${operation}`;
  if (fitting.length === 0) return { member, what: `no member is optional${where}.` };
  return {
    member,
    what: `${strange.slice(0, 60)} is not optional${where}. These are: ${[...fitting].sort().join(", ")}.`,
  };
};

/** In order, and the first that is broken is reported: later ones build on those before. */
const CHECKS: readonly FaultCheck[] = [isKnown, brokenRule, isExtensible, isOptional];

/** Rejects with INVALID_INPUT. `path`: where the fault stands in the request. */
export function mustFit(fault: FaultInput, application: RequestsPort, path: string): void {
  for (const check of CHECKS) {
    const found = check(fault, application);
    if (found) reject("INVALID_INPUT", { path: `${path}.${found.member}`, what: found.what });
  }
}
