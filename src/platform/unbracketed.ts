/** A host name without the brackets of an IPv6 address: `URL` has them, and Node's sockets and `isIP` want it without. */
export const unwrapHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");
