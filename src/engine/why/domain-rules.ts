// The why of each error of the rules: what spec/errors.yaml has of it, and the changes that might satisfy the rule where that has no advice:
// an error with neither does not compile.

import errors from "../../contract/generated/errors.json" with { type: "json" };
import { nearest } from "../../platform/nearest.ts";
import type { DomainErrorCode, ErrorRow } from "../domain/kernel/domain-error.ts";
import * as booking from "./proposals/booking.ts";
import { correctInput, laterExpiry, offeredLanguage } from "./proposals/input.ts";
import * as items from "./proposals/items.ts";
import * as money from "./proposals/money.ts";
import * as records from "./proposals/records.ts";
import { revokedKey } from "./proposals/token.ts";
import {
  advice,
  adviceFrom,
  assumption,
  filled,
  type Proposal,
  pathsOf,
  type RejectedRequest,
  type Rule,
  type Smallest,
  sentence,
  setAt,
  valuesOf,
} from "./rule.ts";

/** A value of the refusal put where another of them stands. */
const to =
  (value: string, at: string, text: string): Smallest =>
  (question) => {
    const values = valuesOf(question);
    const paths = pathsOf(question, values[at]);
    const words = filled(text, values);
    return [
      paths.length === 0 ? advice(words) : { text: words, set: setAt(paths, question.rejection.values[0]?.[value]) },
    ];
  };

const withoutRefund: Smallest = () => [{ text: "Void it without a refund.", set: { "body.refund": false } }];

type RuleRows = typeof errors.rules;
/** The codes that need a proposal here, since spec/errors.yaml has no advice for them. */
type Unadvised = {
  [Code in DomainErrorCode]: RuleRows[Code] extends { advice: string } ? never : Code;
}[DomainErrorCode];

/** One for each; the type demands it. */
const proposals: Readonly<Record<Unadvised, Smallest>> = {
  NOT_FOUND: records.otherId,
  LANGUAGE_NOT_AVAILABLE: offeredLanguage,
  EVENT_NOT_FOUND: booking.knownEvent,
  INVALID_ITEM: items.offeredItems,
  INVALID_INPUT: correctInput,
  EXPIRY_NOT_LATER: laterExpiry,
  EVENT_NOT_ACTIVE: booking.notActive,
  EVENT_PAST_CUTOFF: booking.beforeCutoff,
  EVENT_EXCLUSIVITY_LOCKED: booking.unlocked,
  NOT_ENOUGH_RESOURCES: items.fewer,
  GIFT_CARD_NOT_ACTIVE: records.activeCard,
  SUBSCRIPTION_EXISTS: otherKinds,
  NOTHING_SUITABLE: records.somethingToTell,
  WRONG_STATE: records.otherState,
  ID_TAKEN: records.withoutId("id"),
  CODE_TAKEN: records.withoutId("code"),
  HAS_ACTIVE_BOOKINGS: records.cancelledFirst,
  EVENT_LOCKED_ALREADY: booking.unlocked,
  BOOKING_ON_OTHER_EVENT: to("event_id", "other", "Name event {event_id}, which the booking is for."),
  CAPACITY_BELOW_SOLD: to("reserved", "capacity", "At least {reserved} seats: so many are reserved."),
  EXPERIENCE_NOT_ACTIVE: (question) =>
    records.recordIn(question, "experience", valuesOf(question).experience_id ?? "", ["ACTIVE"]),
  OTHER_EXPERIENCE: booking.movableTo,
  SAME_EVENT: booking.movableTo,
  ITEMS_ONLY_GROW: items.growingItems,
  SLOT_NOT_FREE: items.freeSlot,
  SLOT_SKIPPED: items.freeSlot,
  LOCATION_REMOVED: records.otherLocation,
  AMOUNT_TOO_HIGH: money.openAmount,
  TICKET_OF_OTHER_ORDER: money.ticketOfOrder,
  TRANSACTION_NOT_FOUND: money.partOfOrder,
  CURRENCY_MISMATCH: money.oneCurrency,
  GIFT_CARD_BALANCE_TOO_LOW: money.balanceAmount,
  GIFT_CARD_HAS_NO_ORDER: withoutRefund,
  GIFT_CARD_OF_REFUND: withoutRefund,
  DOCUMENT_NOT_OF_KIND: money.documentFor,
  SCOPE_UNKNOWN: (question) => {
    const { path = "", scope = "", known = "" } = valuesOf(question);
    const near = nearest(scope, known.split(", ")) ?? known.split(", ").at(-1);
    return [{ text: `The nearest scope is ${near}.`, set: { [path]: near } }];
  },
  KEY_REVOKED: revokedKey,
};

/** Advice in the table wins: it is a sentence, and nothing is tried. */
function ruleBy(code: string, { rests_on = [], looked, advice: words }: ErrorRow & { advice?: string }): Rule {
  const smallest = words === undefined ? proposals[code as Unadvised] : adviceFrom(words);
  const basis = rests_on.map((on) =>
    on.assumption === undefined ? sentence(on.sentence ?? "") : assumption(on.assumption),
  );
  return { rests_on: basis, smallest, ...(looked === undefined ? {} : { looked }) };
}

export const domainRules: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries<ErrorRow>(errors.rules).map(([code, row]) => [code, ruleBy(code, row)]),
);

/** The kinds that no other subscription has for this address; otherwise not enabled. */
function otherKinds(question: RejectedRequest): Proposal[] {
  const { kinds = "", subscription_id } = valuesOf(question);
  const { event_types = [] } = (question.body ?? {}) as { event_types?: string[] };
  const rest = event_types.filter((kind) => !kinds.split(", ").includes(kind));
  return [
    ...(rest.length > 0
      ? [{ text: `Leave out what ${subscription_id} sends already.`, set: { "body.event_types": rest } }]
      : []),
    { text: `Make it DISABLED, or change ${subscription_id} instead.`, set: { "body.state": "DISABLED" } },
  ];
}
