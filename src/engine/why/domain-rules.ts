// The why of each error of the rules: what spec/errors.yaml has of it, and the changes that might satisfy the rule where that has no advice:
// an error with neither does not compile.

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

/** A value of the refusal put where another of them stands. */
const to =
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
/** The codes that need a proposal here, since spec/errors.yaml has no advice for them. */
type Unadvised = {
  [Code in DomainErrorCode]: RuleRows[Code] extends { advice: string } ? never : Code;
}[DomainErrorCode];

/** One for each; the type demands it. */
const proposals: Readonly<Record<Unadvised, Smallest>> = {
  NOT_FOUND: records.useOtherId,
  LANGUAGE_NOT_AVAILABLE: useLanguage,
  EVENT_NOT_FOUND: booking.useKnown,
  INVALID_ITEM: items.useOffered,
  INVALID_INPUT: fixInput,
  EXPIRY_NOT_LATER: useLaterExpiry,
  EVENT_NOT_ACTIVE: booking.activate,
  EVENT_PAST_CUTOFF: booking.rewindCutoff,
  EVENT_EXCLUSIVITY_LOCKED: booking.unlock,
  NOT_ENOUGH_RESOURCES: items.reduce,
  GIFT_CARD_NOT_ACTIVE: records.useCard,
  SUBSCRIPTION_EXISTS: useOtherKinds,
  NOTHING_SUITABLE: records.nameOne,
  WRONG_STATE: records.useState,
  ID_TAKEN: records.omitId("id"),
  CODE_TAKEN: records.omitId("code"),
  HAS_ACTIVE_BOOKINGS: records.cancelFirst,
  EVENT_LOCKED_ALREADY: booking.unlock,
  BOOKING_ON_OTHER_EVENT: to("event_id", "other", "Name event {event_id}, which the booking is for."),
  CAPACITY_BELOW_SOLD: to("reserved", "capacity", "At least {reserved} seats: so many are reserved."),
  EXPERIENCE_NOT_ACTIVE: (question) =>
    records.recordIn(question, "experience", toValues(question).experience_id ?? "", ["ACTIVE"]),
  OTHER_EXPERIENCE: booking.moveTo,
  SAME_EVENT: booking.moveTo,
  ITEMS_ONLY_GROW: items.growItems,
  SLOT_NOT_FREE: items.freeSlot,
  SLOT_SKIPPED: items.freeSlot,
  LOCATION_REMOVED: records.useLocation,
  AMOUNT_TOO_HIGH: money.openAmount,
  TICKET_OF_OTHER_ORDER: money.useTicket,
  TRANSACTION_NOT_FOUND: money.usePart,
  CURRENCY_MISMATCH: money.useCurrency,
  GIFT_CARD_BALANCE_TOO_LOW: money.balanceAmount,
  GIFT_CARD_HAS_NO_ORDER: omitRefund,
  GIFT_CARD_OF_REFUND: omitRefund,
  DOCUMENT_NOT_OF_KIND: money.useDocument,
  SCOPE_UNKNOWN: (question) => {
    const { path = "", scope = "", known = "" } = toValues(question);
    const near = findNearest(scope, known.split(", ")) ?? known.split(", ").at(-1);
    return [{ text: `The nearest scope is ${near}.`, set: { [path]: near } }];
  },
  KEY_REVOKED: createKey,
};

/** Advice in the table wins: it is a sentence, and nothing is tried. */
function toRule(code: string, { rests_on = [], looked, advice: words }: ErrorRow & { advice?: string }): Rule {
  const smallest = words === undefined ? proposals[code as Unadvised] : advise(words);
  const basis = rests_on.map((on) =>
    on.assumption === undefined ? sentence(on.sentence ?? "") : assumption(on.assumption),
  );
  return { rests_on: basis, smallest, ...(looked === undefined ? {} : { looked }) };
}

export const domainRules: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries<ErrorRow>(errors.rules).map(([code, row]) => [code, toRule(code, row)]),
);

/** The kinds that no other subscription has for this address; otherwise not enabled. */
function useOtherKinds(question: RejectedRequest): Proposal[] {
  const { kinds = "", subscription_id } = toValues(question);
  const { event_types = [] } = (question.body ?? {}) as { event_types?: string[] };
  const rest = event_types.filter((kind) => !kinds.split(", ").includes(kind));
  return [
    ...(rest.length > 0
      ? [{ text: `Leave out what ${subscription_id} sends already.`, set: { "body.event_types": rest } }]
      : []),
    { text: `Make it DISABLED, or change ${subscription_id} instead.`, set: { "body.state": "DISABLED" } },
  ];
}
