// GET /v1/locations/{locationId}. Heading "Locations": a removed location gets a 404 response.
import { loadLocation } from "../../domain/kernel/lookups.ts";
import { showLocation } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getLocation = read("getLocation", (tx, { path }) => showLocation(tx, loadLocation(tx, path.locationId)));
