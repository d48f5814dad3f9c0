// What became of a message, in words: the states of its deliveries.

export const NO_SUBSCRIBER = "nobody subscribed";

export const formatStates = (deliveries: readonly { state: string }[]): string =>
  deliveries.length === 0 ? NO_SUBSCRIBER : deliveries.map(({ state }) => state).join(", ");
