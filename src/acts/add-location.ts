// A place is added. Heading "Location"; assumption: location-address.
import { addLocation as add } from "../domain/location.ts";
import { optional } from "../domain/optional.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";

export const addLocation = act("addLocation", (desk, { address, ...wish }) => {
  const known = address && { address_lines: [], ...address };
  return showLocation(desk, add(desk, { ...wish, ...optional({ address: known }) }));
});
