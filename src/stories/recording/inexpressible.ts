// Defines the error for entries that no step can express.

/** The message continues a sentence that begins with the request or the act. */
export class Inexpressible extends Error {}
