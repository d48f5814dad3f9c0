// Proposes the nearest id for a record that does not exist, or acts that undo the state of a record. No other record is
// proposed, because the request would then have another effect than the client meant.

import { findNearest } from "../../../platform/nearest.ts";
import { type CollectionName, findCollection, recordKinds } from "../../domain/kernel/record-kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { type Proposal, type RejectedRequest, type Smallest, setAt, toPaths, toValues } from "../rule.ts";

/** A world may have many records, and the newest are the likeliest. */
const MAX_IDS = 2000;
/** A change with more acts is not offered. */
const MAX_ACTS = 20;

/** Lists the newest ids of a collection. */
export function listIds(tx: Transaction, name: CollectionName | undefined): Set<string> {
  const found = new Set<string>();
  const [index] = (name && recordKinds[name].order) ?? [];
  if (!name || index === undefined) return found;
  for (const id of tx[name].ids(index as never, { descending: true })) if (found.add(id).size === MAX_IDS) break;
  return found;
}

/**
 * Proposes the nearest id of a record. `member` is the value of the rejection that has the unknown id; `kind` is the
 * noun of the record.
 */
export const useNearestId =
  (member: string, kind?: string): Smallest =>
  (question) => {
    const values = toValues(question);
    const id = values[member] ?? "";
    const noun = kind ?? values.kind ?? "";
    const near = question.read((tx) => findNearest(id, listIds(tx, findCollection(noun))));
    const paths = toPaths(question, id);
    if (near === undefined || paths.length === 0) return [];
    const article = /^[aeiou]/i.test(noun) ? "an" : "a";
    return [{ text: `The nearest id of ${article} ${noun} is ${near}.`, set: setAt(paths, near) }];
  };

/** The acts that change a state, by kind and state. */
const ACTS_BY_STATE: Readonly<Record<string, (tx: Transaction, id: string) => { act: string; input: object }[]>> = {
  "event INACTIVE": (_, event_id) => [{ act: "activateEvent", input: { event_id } }],
  "ticket CHECKED_IN": (_, ticket_id) => [{ act: "undoCheckIn", input: { ticket_id } }],
  "booking CHECKED_IN": (tx, id) =>
    tx.tickets
      .where("booking", id)
      .filter(({ status }) => status === "CHECKED_IN")
      .map((ticket) => ({ act: "undoCheckIn", input: { ticket_id: ticket.id } })),
  "booking PROCESSING": (_, booking_id) => [{ act: "completeCheckout", input: { booking_id } }],
};

export function undoState(question: RejectedRequest): Proposal[] {
  const { kind, id = "", state } = toValues(question);
  const acts = question.read((tx) => ACTS_BY_STATE[`${kind} ${state}`]?.(tx, id) ?? []);
  if (acts.length === 0 || acts.length > MAX_ACTS) return [];
  return [{ text: `First ${acts.map(formatAct).join(", ")}, then send the same request again.`, first: acts }];
}

/** Formats `the act undoCheckIn of tkt-1`. */
const formatAct = ({ act, input }: { act: string; input: object }): string =>
  `the act ${act} of ${Object.values(input).join(", ")}`;
