/** `fetch` refuses some ports without a request, in Node as in browsers (Fetch, "port blocking"). `reason`: what it rejected with. */
export const isBadPort = (reason: unknown): boolean =>
  (reason as { cause?: { message?: string } } | undefined)?.cause?.message === "bad port";
