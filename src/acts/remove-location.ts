// A place is taken away, and answers 404 from then on. Heading "Locations".
import { removeLocation as remove } from "../domain/catalogue/location.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";
import { locationCalled } from "./named.ts";

export const removeLocation = act("removeLocation", (tx, { location_id }) =>
  showLocation(tx, remove(tx, locationCalled(tx, location_id))),
);
