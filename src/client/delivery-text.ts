// Formats the progress of a delivery for the terminal, the console and explanations.

/** Formats the current attempt. `attempts` is the number of ended attempts. */
export const formatInFlight = (attempts: number, inFlightMs: number): string =>
  `attempt ${attempts + 1} in flight for ${Math.floor(inFlightMs / 1000)} s`;

/** Formats the next attempt. `next` is its due time, in the format of the interface. */
export const formatNextAttempt = (next: string, awaitsClock = false): string =>
  awaitsClock ? `next attempt when the clock moves to ${next}` : `next attempt ${next}`;
