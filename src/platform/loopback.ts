// Recognises the hosts of this machine's loopback, in an address or a setting, in any case of letters.

const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const LOOPBACK = new RegExp(`^(localhost|127(?:\\.${BYTE}){3}|::1|\\[::1\\])$`, "i");

export const isLoopback = (host: unknown): boolean => LOOPBACK.test(String(host));
