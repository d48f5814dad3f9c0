// Formats the states of a message's deliveries.

export const NO_SUBSCRIBER = "no subscriber";

export const formatStates = (deliveries: readonly { state: string }[]): string =>
  deliveries.length === 0 ? NO_SUBSCRIBER : deliveries.map(({ state }) => state).join(", ");
