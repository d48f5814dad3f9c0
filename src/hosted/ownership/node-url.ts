// The default address at which other nodes reach this one: the address that it listens on, or one of the machine's if
// it listens on all.
import { networkInterfaces } from "node:os";

/** Returns a URL without a path. Prefers IPv4, which needs no scope. Operators with several networks set --node-url. */
export function findOwnUrl(listening: string, host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return listening;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return own ? listening.replace("//127.0.0.1:", `//${own.address}:`) : listening;
}
