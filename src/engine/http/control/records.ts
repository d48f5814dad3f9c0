// The records of a world as they are kept, and as the service answers them; and what falls due.

import type { components } from "../../../contract/generated/control.ts";
import type { Application } from "../../app/application.ts";
import { DomainError } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import type { World } from "../../world/state/world.ts";
import { inSeconds } from "../assumption-responses.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

type Schemas = components["schemas"];
type Kept = Schemas["StoredRecord"];

interface Shower {
  operation: string;
  path(record: Kept): Record<string, unknown>;
  /** Where the operation answers a list: the item that is this record. */
  item?: true;
}

const by = (operation: string, parameter: string): Shower => ({ operation, path: ({ id }) => ({ [parameter]: id }) });

/** The operation of the service that answers a record of a collection. */
const showers: Partial<Record<Schemas["CollectionName"], Shower>> = {
  bookings: by("getBooking", "bookingId"),
  company: { operation: "getMe", path: () => ({}) },
  consents: by("getMarketingConsent", "consentId"),
  entries: by("getJournalEntry", "journalEntryId"),
  events: by("getEvent", "eventId"),
  experiences: by("getExperience", "experienceId"),
  giftCards: by("getGiftCard", "giftCardId"),
  locations: by("getLocation", "locationId"),
  orders: by("getOrder", "orderId"),
  subscriptions: by("getWebhookSubscription", "subscriptionId"),
  tickets: { operation: "listBookingTickets", path: ({ booking_id }) => ({ bookingId: booking_id }), item: true },
};

/** Undefined where no operation answers it, or not any more, as with a deleted event. */
function answerFor(
  world: World,
  record: Kept,
  shower: Shower,
  application: Application,
): Schemas["RecordShown"]["answer"] {
  const operation = application.operations.get(shower.operation);
  if (!operation) throw new Error(`${shower.operation} is not served`);
  const requested = { path: shower.path(record), query: {}, headers: {}, body: undefined };
  try {
    const answer = application.look(world, (tx) => {
      const shown = operation.answer(tx, requested as never);
      return tx.assumes("timestamps") === "second" ? inSeconds(shown) : shown;
    });
    const body = answer.body as Record<string, unknown> & { items?: Record<string, unknown>[] };
    const found = shower.item ? body.items?.find(({ id }) => id === record.id) : body;
    return found && { operation: shower.operation, body: found };
  } catch (reason) {
    if (reason instanceof DomainError && reason.status === 404) return undefined;
    throw reason;
  }
}

export const records: Handlers<"listCollections" | "listRecords" | "getRecord" | "listDue"> = {
  listCollections: (requested) => ok({ items: requested.application.records.counts(chosenWorld(requested)) }),
  listRecords(requested) {
    const { application, path, query } = requested;
    const { q, where, cursor, limit = 100 } = query;
    return ok(application.records.page(chosenWorld(requested), path.collection, { q, where, cursor, limit }));
  },
  getRecord(requested) {
    const { application, path } = requested;
    const { collection, id } = path;
    const world = chosenWorld(requested);
    const record = application.records.find(world, collection, id);
    if (!record) {
      const message = `World ${world.id} has no record ${id.slice(0, 100)} in ${collection}. GET /_sandbox/records/${collection} lists them.`;
      throw new HttpError(404, message);
    }
    const shower = showers[collection];
    const answer = shower && answerFor(world, record, shower, application);
    return ok({ collection, record, ...(answer ? { answer } : {}) });
  },
  listDue(requested) {
    const { application, query } = requested;
    const { cursor, limit = 100 } = query;
    const until = query.until === undefined ? undefined : (readInstant(query.until) ?? query.until);
    return ok(application.records.due(chosenWorld(requested), { until, cursor, limit }));
  },
};
