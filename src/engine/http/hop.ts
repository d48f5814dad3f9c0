// Names the headers of requests that one node forwards to another, and of their responses.

/** Marks a request that another node has forwarded, which is not forwarded again. */
export const HOP = "sandbox-hop";

/** Tells the forwarding node to break the client's connection. A broken connection between the nodes would look like a failure of this node. */
export const BREAK = "sandbox-hop-break";
