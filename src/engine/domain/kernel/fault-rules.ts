// Checks what a fault may be, as far as that is known without the API description: one effect, on an operation that it can
// hit. Other fields would be ignored silently. The server and every reader of faults use these checks.

import type { Schemas } from "../../../contract/schemas.ts";
import { getStatus } from "./error-codes.ts";
import type { EventKind } from "./kinds.ts";

type FaultToArm = Schemas["FaultInput"];

/** The asterisk means every operation except that of tokens. */
export const ANY = "*";
export const TOKEN_OPERATION = "createToken";

/** Operations that list records with a cursor. */
const PAGED = [
  "listAvailabilities",
  "listBookings",
  "listEventAvailabilities",
  "listEvents",
  "listExperiences",
  "listGiftCards",
  "listInformationRequests",
  "listJournalEntries",
  "listLocations",
  "listMarketingConsents",
  "listOrders",
  "listTicketVariants",
  "listWebhookSubscriptions",
];

/** Operations that return what can be booked. */
const OFFERING = [
  "getAvailability",
  "getEvent",
  "getEventAvailability",
  "listAvailabilities",
  "listEventAvailabilities",
  "listEvents",
];

const WITH_BOOKINGS = ["createBooking", "getBooking", "listBookings"];

/** The operations of each effect; undefined means any. A fault without such an effect fails a request. */
const THINGS = {
  token: undefined,
  answer: undefined,
  page: PAGED,
  stale: OFFERING,
  move: WITH_BOOKINGS,
  delivery: undefined,
} satisfies Partial<Record<keyof FaultToArm, readonly string[] | undefined>>;

export type FaultThing = keyof typeof THINGS;

/** Returns the operations that an effect can hit; undefined means any. */
export const getOperations = (thing: FaultThing): readonly string[] | undefined => THINGS[thing];

const NAMES = Object.keys(THINGS) as FaultThing[];

/** The kinds of webhook events that add or remove items of a list. */
export const LIST_CHANGES: Readonly<Record<string, readonly EventKind[]>> = {
  listAvailabilities: ["v1.event.created", "v1.event.deleted"],
  listBookings: ["v1.booking.cancelled", "v1.booking.created"],
  listEventAvailabilities: ["v1.event.created", "v1.event.deleted"],
  listEvents: ["v1.event.created", "v1.event.deleted"],
  listExperiences: ["v1.experience.created", "v1.experience.deleted"],
  listJournalEntries: ["v1.booking.created"],
  listMarketingConsents: ["v1.marketing_consent.created"],
  listOrders: ["v1.booking.created"],
};

/** Fields of a fault that make a request fail. */
const FAILURE = ["status", "code", "delay_ms", "connection", "retry_after", "when"] as const;
/** Fields that choose a request; a delivery has none of these. */
const OF_REQUESTS = ["operation", "methods", "client_id"] as const;

/** The path of the wrong field, and a message. */
export interface FaultProblem {
  member: string;
  what: string;
}

type FaultRule = (fault: FaultToArm) => FaultProblem | undefined;

const has = <Name extends keyof FaultToArm>(fault: FaultToArm, names: readonly Name[]): Name[] =>
  names.filter((name) => fault[name] !== undefined);

const checkOneEffect: FaultRule = (fault) => {
  const [thing, another] = has(fault, NAMES);
  const [failure] = has(fault, FAILURE);
  const other = another ?? failure;
  if (thing === undefined || other === undefined) return undefined;
  return { member: other, what: `the fault has ${thing} too, and a fault does one thing. Arm two faults.` };
};

const checkOperation: FaultRule = (fault) => {
  const [given] = has(fault, OF_REQUESTS);
  if (fault.delivery)
    return (
      given && { member: given, what: "a fault of deliveries hits no requests. Remove this field, and name a kind." }
    );
  if (fault.operation !== undefined) return undefined;
  return { member: "operation", what: `it is required, such as createBooking, or ${ANY} for any operation.` };
};

const checkEffect: FaultRule = ({ answer }) => {
  const idle = (["unknown_value", "leave_out"] as const).find((name) => answer?.[name] === false);
  return idle && { member: `answer.${idle}`, what: "it is false, which changes nothing. Give true or names." };
};

/** A broken connection has no response, so one of the two would be ignored silently. */
const checkOneFailure: FaultRule = ({ status, code, connection }) => {
  if (connection === undefined || (status === undefined && code === undefined)) return undefined;
  const other = status === undefined ? "code" : "status";
  return {
    member: "connection",
    what: `it breaks the connection, so there is no response with a ${other}. Leave one out.`,
  };
};

const checkStatus: FaultRule = ({ status, code }) =>
  status !== undefined || code === undefined || getStatus(code) !== undefined
    ? undefined
    : {
        member: "status",
        what: `it is needed here, since the service has no code ${String(code).slice(0, 60)} to know it from.`,
      };

/** `retry_after` is a header of a response, so the fault needs one. */
const checkRetryAfter: FaultRule = ({ retry_after, status, code }) =>
  retry_after === undefined || status !== undefined || code !== undefined
    ? undefined
    : { member: "retry_after", what: "it is a header of the fault's response. Add a status or a code." };

const checkSeed: FaultRule = ({ seed, share }) =>
  seed === undefined || share !== undefined
    ? undefined
    : { member: "seed", what: "it selects the requests of a share. Add a share." };

const checkLateMs: FaultRule = ({ delivery }) =>
  delivery?.late_ms === undefined || delivery.do === "late" || delivery.do === "reorder"
    ? undefined
    : {
        member: "delivery.late_ms",
        what: `it works only with late and reorder, and this fault has ${delivery.do}. Remove it.`,
      };

const checkToken: FaultRule = ({ token, operation }) => {
  if (!token) return undefined;
  // Tokens are issued by one operation and used by all others.
  const issues = token.expires_in !== undefined || token.form !== undefined;
  const isOfIssuing = operation === TOKEN_OPERATION;
  if (token.revoke && issues)
    return {
      member: "token.revoke",
      what: "a token is revoked when it is used; the other fields change tokens that are issued. Arm two faults.",
    };
  if (issues === isOfIssuing) return undefined;
  const what = issues
    ? `a token is issued by ${TOKEN_OPERATION}. Name that.`
    : `no token is used there. Name an operation that needs one, or ${ANY}.`;
  return { member: "operation", what };
};

const checkPage: FaultRule = ({ page, operation = ANY }) =>
  page?.change && operation !== ANY && !LIST_CHANGES[operation]
    ? {
        member: "page.change",
        what: `the host can't change ${operation}. Use one of ${Object.keys(LIST_CHANGES).join(", ")}.`,
      }
    : undefined;

/** Rejects an effect on an operation that it can't hit. */
const checkEffectOfOperation: FaultRule = (fault) => {
  const [thing] = has(fault, NAMES);
  const { operation = ANY } = fault;
  const fits = thing && getOperations(thing);
  if (!fits || operation === ANY || fits.includes(operation)) return undefined;
  return {
    member: "operation",
    what: `${thing} has no effect on ${operation}. It works on ${fits.join(", ")}, or ${ANY} for all of them.`,
  };
};

/** The order matters: later checks rely on earlier ones. */
const RULES: readonly FaultRule[] = [
  checkOneEffect,
  checkOperation,
  checkEffect,
  checkOneFailure,
  checkRetryAfter,
  checkSeed,
  checkLateMs,
  checkToken,
  checkEffectOfOperation,
  checkPage,
  checkStatus,
];

/** Returns the first problem of a fault, or undefined if it has none. */
export function findFaultProblem(fault: FaultToArm): FaultProblem | undefined {
  for (const rule of RULES) {
    const problem = rule(fault);
    if (problem) return problem;
  }
  return undefined;
}
