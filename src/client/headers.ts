// Headers by which the sandbox's own tools say what their requests to the control API are.

/** The header of what a person does: the log marks an act that has it. */
export const BY_HAND = { "sandbox-by-hand": "command" } as const;

/** The header of a judge that reads the log of a world: the world does not move to the node that the judge asks. */
export const WITNESS = { "sandbox-witness": "log" } as const;
