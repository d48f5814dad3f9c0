// A place is added. Heading "Location".
import { addLocation as add } from "../domain/location.ts";
import { showLocation } from "../domain/shown.ts";
import { act } from "./act.ts";

export const addLocation = act("addLocation", (desk, input) => showLocation(desk, add(desk, input as never)));
