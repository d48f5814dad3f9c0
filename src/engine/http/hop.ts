// The header of a request that another node has sent on: it goes no further.

export const HOP = "sandbox-hop";
