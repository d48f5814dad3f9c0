/** What a fault puts where a reader has to bear what it does not know. */
export const UNKNOWN_NAME = "sandbox_unknown";

/** An object, since programs that read strictly stumble over those first. */
export const UNKNOWN_MEMBER = { [UNKNOWN_NAME]: { note: "a member that nobody knows" } };
