// The header of a request that another node has sent on: it goes no further.

export const HOP = "sandbox-hop";

/** The header of an answer to such a request, which the other node is to break off by this: a break on the way between would look like its own. */
export const BREAK = "sandbox-hop-break";
