// What became of a message, in words: the states of its deliveries.

export const NOBODY = "nobody subscribed";

export const formatStates = (deliveries: readonly { state: string }[]): string =>
  deliveries.length === 0 ? NOBODY : deliveries.map(({ state }) => state).join(", ");
