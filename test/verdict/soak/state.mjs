// The probe of the mirror: what it keeps, as `sandbox check soak` asks for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { bookings } = JSON.parse(readFileSync(join(process.env.SANDBOX_RUN_FOLDER, "state.json"), "utf8"));
console.log(JSON.stringify({ bookings: Object.values(bookings) }));
