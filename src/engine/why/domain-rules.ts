// Explains each error of the rules with its row in spec/errors.yaml. Errors without advice there need a proposal here,
// which the types enforce.

import errors from "../../contract/generated/errors.ts";
import { optional } from "../../platform/optional.ts";
import type { DomainErrorCode, ErrorRow } from "../domain/kernel/domain-error.ts";
import { reduceItems, useEarlierTime, useOfferedItems, useOtherEventOrAct } from "./proposals/booking.ts";
import { fixInput, useLaterExpiry } from "./proposals/input.ts";
import { undoState, useNearestId } from "./proposals/records.ts";
import {
  assumption,
  fill,
  type Proposal,
  type RejectedRequest,
  type Rule,
  type Smallest,
  sentence,
  setAt,
  toAdvice,
  toPaths,
  toValues,
} from "./rule.ts";

/** Puts `value` of the rejection wherever the request contains the value `at` of the rejection. */
const putValue =
  (value: string, at: string, text: string): Smallest =>
  (question) => {
    const values = toValues(question);
    const paths = toPaths(question, values[at]);
    const words = fill(text, values);
    return [
      paths.length === 0 ? toAdvice(words) : { text: words, set: setAt(paths, question.rejection.values[0]?.[value]) },
    ];
  };

/** Omits an id or a code that is already in use. */
const omitTaken =
  (member: "id" | "code"): Smallest =>
  (question) => [
    {
      text: `Omit ${member}, so that one is generated.`,
      set: setAt(toPaths(question, toValues(question)[member]), null),
    },
  ];

const omitRefund: Smallest = () => [{ text: "Void it without a refund.", set: { "body.refund": false } }];

type RuleRows = typeof errors.rules;
/** The codes that need a proposal here, because spec/errors.yaml has no advice for them. */
type UnadvisedCode = {
  [Code in DomainErrorCode]: RuleRows[Code] extends { advice: string } ? never : Code;
}[DomainErrorCode];

const proposals: Readonly<Record<UnadvisedCode, Smallest> & Partial<Record<DomainErrorCode, Smallest>>> = {
  NOT_FOUND: useNearestId("id"),
  EVENT_NOT_FOUND: useNearestId("event_id", "event"),
  INVALID_ITEM: useOfferedItems,
  INVALID_INPUT: fixInput,
  EXPIRY_NOT_LATER: useLaterExpiry,
  EVENT_NOT_ACTIVE: useOtherEventOrAct("activateEvent", "activates"),
  EVENT_PAST_CUTOFF: useEarlierTime,
  EVENT_EXCLUSIVITY_LOCKED: useOtherEventOrAct("unlockEvent", "unlocks"),
  EVENT_LOCKED_ALREADY: useOtherEventOrAct("unlockEvent", "unlocks"),
  NOT_ENOUGH_RESOURCES: reduceItems,
  SUBSCRIPTION_EXISTS: useOtherKinds,
  WRONG_STATE: undoState,
  ID_TAKEN: omitTaken("id"),
  CODE_TAKEN: omitTaken("code"),
  BOOKING_ON_OTHER_EVENT: putValue("event_id", "other", "Name event {event_id}, which the booking is for."),
  CAPACITY_BELOW_SOLD: putValue("reserved", "capacity", "Use at least {reserved} seats, which are reserved already."),
  AMOUNT_TOO_HIGH: putValue("open", "amount", "Use at most {open} minor units."),
  CURRENCY_MISMATCH: putValue("wanted", "given", "Use {wanted}."),
  GIFT_CARD_BALANCE_TOO_LOW: putValue("balance", "amount", "Use at most {balance} minor units."),
  GIFT_CARD_HAS_NO_ORDER: omitRefund,
  GIFT_CARD_OF_REFUND: omitRefund,
};

function toRule(code: string, { rests_on = [], looked, advice }: ErrorRow & { advice?: string }): Rule {
  const basis = rests_on.map((on) =>
    on.assumption === undefined ? sentence(on.sentence ?? "") : assumption(on.assumption),
  );
  return { rests_on: basis, ...optional({ looked, advice, smallest: proposals[code as DomainErrorCode] }) };
}

export const domainRules: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries<ErrorRow>(errors.rules).map(([code, row]) => [code, toRule(code, row)]),
);

/** Proposes the kinds that no other subscription of this URL has, or a DISABLED subscription. */
function useOtherKinds(question: RejectedRequest): Proposal[] {
  const { kinds = "", subscription_id } = toValues(question);
  const { event_types = [] } = (question.body ?? {}) as { event_types?: string[] };
  const rest = event_types.filter((kind) => !kinds.split(", ").includes(kind));
  const others = { text: `Omit the kinds that ${subscription_id} has.`, set: { "body.event_types": rest } };
  const disabled = {
    text: `Create it DISABLED, or change ${subscription_id} instead.`,
    set: { "body.state": "DISABLED" },
  };
  return [...(rest.length > 0 ? [others] : []), disabled];
}
