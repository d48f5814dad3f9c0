// A place is taken away, and answers 404 from then on. Heading "Locations".
import { removeLocation as remove } from "../domain/location.ts";
import { found } from "../domain/refusal.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";

export const removeLocation = act("removeLocation", (desk, { location_id }) =>
  showLocation(desk, remove(desk, found(desk.locations.get(location_id), "location", location_id))));
