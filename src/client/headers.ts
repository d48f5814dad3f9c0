// Headers by which the sandbox's own tools say what their requests to the control API are.

/** The header of what a person does: the log marks an act that has it. */
export const BY_HAND = { "sandbox-by-hand": "command" } as const;
