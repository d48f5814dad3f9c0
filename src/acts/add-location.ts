// A place is added. Heading "Location"; assumption: location-address.
import { addLocation as add } from "../domain/catalogue/location.ts";
import { optional } from "../domain/kernel/optional.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";

export const addLocation = act("addLocation", (tx, { address, ...input }) => {
  const known = address && { address_lines: [], ...address };
  return showLocation(tx, add(tx, { ...input, ...optional({ address: known }) }));
});
