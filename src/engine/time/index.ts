// The entry point of time exports the clocks of the system.
export { monotonicClock, wallClock } from "./clock.ts";
