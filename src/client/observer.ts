// The sandbox's own tools look on: what they read for themselves would only hide the requests of the integrator in the log.

/** The header that keeps a request out of the log; an act that has it is logged as done by hand. */
export const OBSERVER = { "sandbox-observer": "command" } as const;

/** The header of a request that a person types: it is logged as done by hand. */
export const BY_HAND = { "sandbox-by-hand": "command" } as const;

/** Who judges by the log of a world: the world does not move to where it is asked from. */
export const WITNESS = { "sandbox-observer": "witness" } as const;
