// Acts on locations. Headings "Location" and "Locations"; assumption: location-address.

import { optional } from "../../platform/optional.ts";
import { addLocation, removeLocation } from "../domain/catalogue/location.ts";
import { loadLocation } from "../domain/kernel/lookups.ts";
import { showLocation } from "../domain/views.ts";
import { act } from "./act.ts";

export const locationActs = [
  act("addLocation", (tx, { address, ...input }) => {
    const complete = address && { address_lines: [], ...address };
    return showLocation(tx, addLocation(tx, { ...input, ...optional({ address: complete }) }));
  }),

  // Requests for a removed location get a 404 response from now on.
  act("removeLocation", (tx, { location_id }) => showLocation(tx, removeLocation(tx, loadLocation(tx, location_id)))),
];
