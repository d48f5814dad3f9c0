/** A host name without the brackets of an IPv6 address: `URL` has them, and Node's sockets and `isIP` want it without. */
export const unbracketed = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");
