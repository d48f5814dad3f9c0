// Locations, and the zone that sessions are read in. Heading "Location": Europe/Copenhagen where the company set none;
// assumption: location-address.
import type { Desk } from "./desk.ts";
import { optional } from "./optional.ts";
import type { Company, Location } from "./records.ts";
import { refuse } from "./refusal.ts";
import { zoneNamed } from "./zone.ts";

const FALLBACK = "Europe/Copenhagen";

export function zoneOf(desk: Desk, location: Pick<Location, "timezone">): string {
  return location.timezone ?? zoneOfCompany(desk.company.get("company"));
}

export function zoneOfCompany(company?: Pick<Company, "timezone">): string {
  return company?.timezone ?? FALLBACK;
}

export type LocationWish = Partial<Pick<Location, "id" | "timezone" | "address" | "coordinates">>;

export function addLocation(desk: Desk, { id = desk.newId(), ...wish }: LocationWish): Location {
  const timezone = wish.timezone === undefined ? undefined : zoneNamed(wish.timezone);
  if (wish.timezone !== undefined && timezone === undefined) {
    const what = `${wish.timezone} is not the name of an IANA time zone, such as Europe/Copenhagen.`;
    refuse("INVALID_INPUT", { place: "body.timezone", what });
  }
  if (desk.locations.get(id)) refuse("ID_TAKEN", { kind: "location", id });
  const location: Location = { id, ...wish, ...optional({ timezone }), created_at: desk.now, updated_at: desk.now };
  desk.locations.put(location);
  desk.tell("location.created", id);
  return location;
}

/** Events that were to happen there keep its id. */
export function removeLocation(desk: Desk, location: Location): Location {
  if (location.removed_at) refuse("LOCATION_REMOVED", { location_id: location.id });
  const removed = { ...location, removed_at: desk.now, updated_at: desk.now };
  desk.locations.put(removed);
  desk.tell("location.removed", location.id);
  return removed;
}
