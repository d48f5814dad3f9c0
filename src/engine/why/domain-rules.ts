// Explains each error of the rules with its row in spec/errors.yaml. Errors without advice there need a proposal here, which the types
// enforce.

import errors from "../../contract/generated/errors.json" with { type: "json" };
import { findNearest } from "../../platform/nearest.ts";
import type { DomainErrorCode, ErrorRow } from "../domain/kernel/domain-error.ts";
import * as booking from "./proposals/booking.ts";
import { fixInput, useLanguage, useLaterExpiry } from "./proposals/input.ts";
import * as items from "./proposals/items.ts";
import * as money from "./proposals/money.ts";
import * as records from "./proposals/records.ts";
import { createKey } from "./proposals/token.ts";
import {
  advice,
  advise,
  assumption,
  fill,
  type Proposal,
  type RejectedRequest,
  type Rule,
  type Smallest,
  sentence,
  setAt,
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
      paths.length === 0 ? advice(words) : { text: words, set: setAt(paths, question.rejection.values[0]?.[value]) },
    ];
  };

const omitRefund: Smallest = () => [{ text: "Void it without a refund.", set: { "body.refund": false } }];

type RuleRows = typeof errors.rules;
/** The codes that need a proposal here, because spec/errors.yaml has no advice for them. */
type UnadvisedCode = {
  [Code in DomainErrorCode]: RuleRows[Code] extends { advice: string } ? never : Code;
}[DomainErrorCode];

const proposals: Readonly<Record<UnadvisedCode, Smallest>> = {
  NOT_FOUND: records.useOtherId,
  LANGUAGE_NOT_AVAILABLE: useLanguage,
  EVENT_NOT_FOUND: booking.useKnownEvent,
  INVALID_ITEM: items.useOfferedItems,
  INVALID_INPUT: fixInput,
  EXPIRY_NOT_LATER: useLaterExpiry,
  EVENT_NOT_ACTIVE: booking.activateEvent,
  EVENT_PAST_CUTOFF: booking.useEarlierTime,
  EVENT_EXCLUSIVITY_LOCKED: booking.unlockEvent,
  NOT_ENOUGH_RESOURCES: items.reduceItems,
  GIFT_CARD_NOT_ACTIVE: records.useActiveCard,
  SUBSCRIPTION_EXISTS: useOtherKinds,
  NOTHING_SUITABLE: records.fixTrigger,
  WRONG_STATE: records.useOtherState,
  ID_TAKEN: records.omitId("id"),
  CODE_TAKEN: records.omitId("code"),
  HAS_ACTIVE_BOOKINGS: records.cancelBookings,
  EVENT_LOCKED_ALREADY: booking.unlockEvent,
  BOOKING_ON_OTHER_EVENT: putValue("event_id", "other", "Name event {event_id}, which the booking is for."),
  CAPACITY_BELOW_SOLD: putValue("reserved", "capacity", "Use at least {reserved} seats, which are reserved already."),
  EXPERIENCE_NOT_ACTIVE: (question) =>
    records.useInState(question, "experience", toValues(question).experience_id ?? "", ["ACTIVE"]),
  OTHER_EXPERIENCE: booking.moveToOther,
  SAME_EVENT: booking.moveToOther,
  ITEMS_ONLY_GROW: items.keepItems,
  SLOT_NOT_FREE: items.useFreeSlot,
  SLOT_SKIPPED: items.useFreeSlot,
  LOCATION_REMOVED: records.useLocation,
  AMOUNT_TOO_HIGH: money.openAmount,
  TICKET_OF_OTHER_ORDER: money.useOrderTicket,
  TRANSACTION_NOT_FOUND: money.useOrderPart,
  CURRENCY_MISMATCH: money.useCurrency,
  GIFT_CARD_BALANCE_TOO_LOW: money.balanceAmount,
  GIFT_CARD_HAS_NO_ORDER: omitRefund,
  GIFT_CARD_OF_REFUND: omitRefund,
  DOCUMENT_NOT_OF_KIND: money.useDocumentType,
  SCOPE_UNKNOWN: (question) => {
    const { path = "", scope = "", known = "" } = toValues(question);
    const near = findNearest(scope, known.split(", ")) ?? known.split(", ").at(-1);
    return [{ text: `The nearest scope is ${near}.`, set: { [path]: near } }];
  },
  KEY_REVOKED: createKey,
};

/** Advice in the table takes precedence. It is a sentence, so no change is tried. */
function toRule(code: string, { rests_on = [], looked, advice: words }: ErrorRow & { advice?: string }): Rule {
  const smallest = words === undefined ? proposals[code as UnadvisedCode] : advise(words);
  const basis = rests_on.map((on) =>
    on.assumption === undefined ? sentence(on.sentence ?? "") : assumption(on.assumption),
  );
  return { rests_on: basis, smallest, ...(looked === undefined ? {} : { looked }) };
}

export const domainRules: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries<ErrorRow>(errors.rules).map(([code, row]) => [code, toRule(code, row)]),
);

/** Proposes the kinds that no other subscription of this URL has, or a DISABLED subscription. */
function useOtherKinds(question: RejectedRequest): Proposal[] {
  const { kinds = "", subscription_id } = toValues(question);
  const { event_types = [] } = (question.body ?? {}) as { event_types?: string[] };
  const rest = event_types.filter((kind) => !kinds.split(", ").includes(kind));
  return [
    ...(rest.length > 0
      ? [{ text: `Omit the kinds that ${subscription_id} has.`, set: { "body.event_types": rest } }]
      : []),
    { text: `Create it DISABLED, or change ${subscription_id} instead.`, set: { "body.state": "DISABLED" } },
  ];
}
