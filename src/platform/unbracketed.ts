/**
 * Removes the brackets of an IPv6 address from a host name: `URL` has them, and Node's sockets and `isIP` want it
 * without.
 */
export const unwrapHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");
