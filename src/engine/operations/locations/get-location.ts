// GET /v1/locations/{locationId}. Heading "Locations": a removed location gets a 404 response.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { showLocation } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getLocation = read("getLocation", (tx, { path }) => {
  const location = tx.locations.get(path.locationId);
  return showLocation(tx, mustExist(location?.removed_at ? undefined : location, "location", path.locationId));
});
