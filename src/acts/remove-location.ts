// A place is taken away, and answers 404 from then on. Heading "Locations".
import { removeLocation as remove } from "../domain/location.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";
import { locationCalled } from "./named.ts";

export const removeLocation = act("removeLocation", (desk, { location_id }) =>
  showLocation(desk, remove(desk, locationCalled(desk, location_id))),
);
