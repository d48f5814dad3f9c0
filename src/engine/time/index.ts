// The entry point of time exports the clocks of the system.
export { keepZones } from "./cached-zones.ts";
export { monotonicClock, wallClock } from "./clock.ts";
