// What no step can say.

/** The end of a sentence that begins with the request or the act. */
export class Inexpressible extends Error {}
