// How a delivery is progressing, as text for the terminal, the console and explanations.

/** `attempts`: how many have ended. */
export const formatInFlight = (attempts: number, inFlightMs: number): string =>
  `attempt ${attempts + 1} in flight for ${Math.floor(inFlightMs / 1000)} s`;

/** `next`: when it is due, as the interface shows an instant. */
export const formatNextAttempt = (next: string, awaitsClock = false): string =>
  awaitsClock ? `next attempt when the clock moves to ${next}` : `next attempt ${next}`;
