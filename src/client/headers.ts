// Headers by which the tools of the sandbox mark their requests to the control API.
/** The header of a request that a person sends. The log marks such requests. */
export const BY_HAND = { "sandbox-by-hand": "command" } as const;
