/** The value that a fault inserts where clients must accept unknown values. */
export const UNKNOWN_NAME = "sandbox_unknown";

/** The value is an object, because strict programs fail on objects first. */
export const UNKNOWN_MEMBER = { [UNKNOWN_NAME]: { note: "an unknown field" } };
