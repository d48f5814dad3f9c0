// GET /v1/locations/{locationId}. Heading "Locations": a removed one answers 404.
import { found } from "../../domain/refusal.ts";
import { showLocation } from "../../domain/shown.ts";
import { read } from "../operation.ts";

export const getLocation = read("getLocation", (desk, { path }) => {
  const location = desk.locations.get(path.locationId);
  return showLocation(desk, found(location?.removed_at ? undefined : location, "location", path.locationId));
});
