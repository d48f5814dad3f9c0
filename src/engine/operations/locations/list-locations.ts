// GET /v1/locations. Heading "Locations".
import type { Location } from "../../domain/kernel/records.ts";
import { showLocation } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";

export const listLocations = read("listLocations", (tx, { query }) =>
  page(tx, {
    list: "listLocations",
    query,
    keyOf: (location: Location) => location.created_at,
    behind: (past) => tx.locations.walk("created", past ? { past } : {}),
    show: (location) => showLocation(tx, location),
  }),
);
