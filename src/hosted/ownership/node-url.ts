// Where the other nodes reach this one, when nobody has said so: the address that it listens on, or one of this machine's where it
// listens on all.
import { networkInterfaces } from "node:os";

/**
 * A URL without a path. IPv4 first, since it needs no brackets or scope; operators with more networks set --node-url.
 */
export function nodeUrl(listening: string, host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return listening;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return own ? listening.replace("//127.0.0.1:", `//${own.address}:`) : listening;
}
