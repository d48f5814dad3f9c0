// What a fault may be: one thing, of an operation that it can hit. What it says besides would be ignored silently, so it is refused.
import type { FaultInput, RequestsPort } from "../../app/application.ts";
import { CHANGES } from "../../app/meanwhile.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { operationsOf, THINGS } from "../fault-effects.ts";
import { ANY } from "../fault-injection.ts";
import { extensibleMembers, optionalMembers } from "../fault-operations.ts";
import { TOKEN_OPERATION } from "../token-endpoint.ts";
import { noOperation } from "./handler.ts";

/** Members of a fault that makes a request fail. */
const FAILURE = ["status", "code", "delay_ms", "connection", "retry_after", "when"] as const;
/** Members that choose a request; a delivery has none of these. */
const OF_REQUESTS = ["operation", "methods", "client_id"] as const;

type FaultCheck = (fault: FaultInput, application: RequestsPort) => { member: string; what: string } | undefined;

const has = <Name extends keyof FaultInput>(fault: FaultInput, names: readonly Name[]): Name[] =>
  names.filter((name) => fault[name] !== undefined);

const isOneThing: FaultCheck = (fault) => {
  const [thing, another] = has(fault, THINGS);
  const [failure] = has(fault, FAILURE);
  const other = another ?? failure;
  if (thing === undefined || other === undefined) return undefined;
  return { member: other, what: `the fault has ${thing} too, and a fault does one thing. Arm two faults.` };
};

const hasItsOperation: FaultCheck = (fault) => {
  const [given] = has(fault, OF_REQUESTS);
  if (fault.delivery)
    return (
      given && { member: given, what: "a fault of deliveries is not of a request. Leave it out, and name a kind." }
    );
  if (fault.operation !== undefined) return undefined;
  return { member: "operation", what: `it is required, such as createBooking, or ${ANY} for any operation.` };
};

const isKnown: FaultCheck = ({ operation = ANY }, { operations }) => {
  // The token endpoint is no operation of the table, but faults hit it too.
  const known = [...operations.keys(), TOKEN_OPERATION];
  return operation === ANY || known.includes(operation)
    ? undefined
    : { member: "operation", what: noOperation(operation, known, " that a fault can hit") };
};

const doesSomething: FaultCheck = ({ answer }) => {
  const idle = (["unknown_value", "leave_out"] as const).find((name) => answer?.[name] === false);
  return idle && { member: `answer.${idle}`, what: "it is false, which changes nothing. Give true or names." };
};

/** A broken connection carries no answer, so one of the two would be ignored silently. */
const breaksOrAnswers: FaultCheck = ({ status, code, connection }) => {
  if (connection === undefined || (status === undefined && code === undefined)) return undefined;
  const other = status === undefined ? "code" : "status";
  return {
    member: "connection",
    what: `it breaks the connection, so there is no answer with a ${other}. Leave one out.`,
  };
};

/** The header is of an answer. */
const hasAnswer: FaultCheck = ({ retry_after, status, code }) =>
  retry_after === undefined || status !== undefined || code !== undefined
    ? undefined
    : { member: "retry_after", what: "it is a header of the answer of the fault. Give a status or a code too." };

const isDrawn: FaultCheck = ({ seed, share }) =>
  seed === undefined || share !== undefined
    ? undefined
    : { member: "seed", what: "it is of the share that is drawn. Give a share too." };

const isHeldBack: FaultCheck = ({ delivery }) =>
  delivery?.late_ms === undefined || delivery.do === "late" || delivery.do === "reorder"
    ? undefined
    : { member: "delivery.late_ms", what: `it is of late and reorder, and this one is ${delivery.do}. Leave it out.` };

const issuesOrUses: FaultCheck = ({ token, operation }) => {
  if (!token) return undefined;
  // Issuing happens at one place, using at all others.
  const issues = token.expires_in !== undefined || token.form !== undefined;
  const isOfIssuing = operation === TOKEN_OPERATION;
  if (token.revoke && issues)
    return {
      member: "token.revoke",
      what: "a token is revoked as it is used, and the rest is of one that is issued. Arm two faults.",
    };
  if (issues === isOfIssuing) return undefined;
  const what = issues
    ? `a token is issued by ${TOKEN_OPERATION}. Name that.`
    : `no token is used there. Name an operation that needs one, or ${ANY}.`;
  return { member: "operation", what };
};

const changesWhatItCan: FaultCheck = ({ page, operation = ANY }) =>
  page?.change && operation !== ANY && !CHANGES[operation]
    ? { member: "page.change", what: `nobody changes ${operation}. It is of ${Object.keys(CHANGES).join(", ")}.` }
    : undefined;

/** What a thing can be of, where that is not every operation. */
const isOfItsOperations: FaultCheck = (fault) => {
  const [thing] = has(fault, THINGS);
  const { operation = ANY } = fault;
  const fits = thing && operationsOf(thing);
  if (!fits || operation === ANY || fits.includes(operation)) return undefined;
  return {
    member: "operation",
    what: `${thing} is not of ${operation}. It is of ${fits.join(", ")}, or ${ANY} for all of them.`,
  };
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
const CHECKS: readonly FaultCheck[] = [
  isOneThing,
  hasItsOperation,
  isKnown,
  doesSomething,
  breaksOrAnswers,
  hasAnswer,
  isDrawn,
  isHeldBack,
  issuesOrUses,
  isOfItsOperations,
  isExtensible,
  isOptional,
  changesWhatItCan,
];

/** Rejects with INVALID_INPUT. `path`: where the fault stands in the request. */
export function mustFit(fault: FaultInput, application: RequestsPort, path: string): void {
  for (const check of CHECKS) {
    const found = check(fault, application);
    if (found) reject("INVALID_INPUT", { path: `${path}.${found.member}`, what: found.what });
  }
}
