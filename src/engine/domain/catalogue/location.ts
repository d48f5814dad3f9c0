// Adds and removes locations, and finds the time zone of their sessions. Heading "Location": Europe/Copenhagen where the
// company set none; assumption: location-address.

import { optional } from "../../../platform/optional.ts";
import { reject } from "../kernel/domain-error.ts";
import type { Company, Location } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { findZone } from "../kernel/zone.ts";

const DEFAULT_ZONE = "Europe/Copenhagen";

/** Returns the zone of the location, or else that of the company. */
export function getZone(tx: Transaction, location: Pick<Location, "timezone">): string {
  return location.timezone ?? getCompanyZone(tx.company.get("company"));
}

/** Returns the zone for days that belong to no location, such as those of the books. */
export function getCompanyZone(company?: Pick<Company, "timezone">): string {
  return company?.timezone ?? DEFAULT_ZONE;
}

export type LocationInput = Partial<Pick<Location, "id" | "timezone" | "address" | "coordinates">>;

/** Rejects with INVALID_INPUT for an unknown time zone, or with ID_TAKEN. */
export function addLocation(tx: Transaction, { id = tx.newId(), ...input }: LocationInput): Location {
  // The zone is stored as the list of zones spells it, because its case may differ in the request.
  const timezone = input.timezone === undefined ? undefined : findZone(input.timezone);
  if (input.timezone !== undefined && timezone === undefined) {
    const what = `${input.timezone} is not the name of an IANA time zone, such as Europe/Copenhagen.`;
    reject("INVALID_INPUT", { path: "body.timezone", what });
  }
  if (tx.locations.get(id)) reject("ID_TAKEN", { kind: "location", id });
  const location: Location = { id, ...input, ...optional({ timezone }), created_at: tx.now, updated_at: tx.now };
  tx.locations.put(location);
  tx.emit("location.created", id);
  return location;
}

/** Rejects a removed location with LOCATION_REMOVED; the caller has already checked that the id exists. */
export function mustNotBeRemoved(tx: Transaction, id: string): void {
  if (tx.locations.get(id)?.removed_at) reject("LOCATION_REMOVED", { location_id: id });
}

/**
 * Removes a location. Its events keep its id (assumption: location-removed). Rejects with LOCATION_REMOVED a second
 * time.
 */
export function removeLocation(tx: Transaction, location: Location): Location {
  mustNotBeRemoved(tx, location.id);
  // The record stays, because sessions still read their zone from it.
  const removed = { ...location, removed_at: tx.now, updated_at: tx.now };
  tx.locations.put(removed);
  tx.emit("location.removed", location.id);
  return removed;
}
