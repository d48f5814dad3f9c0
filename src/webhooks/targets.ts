// Addresses to which no message is sent: link-local and metadata addresses, also behind a name. Lookups of one name at the same time
// share one result, and get it in their order. Assumption: delivery-targets.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isLinkLocalOrMetadata } from "../domain/company/subscription.ts";

export class Blocked extends Error {
  constructor(target: string) {
    super(`${target} is a link-local or metadata address, which is never sent to.`);
    this.name = "Blocked";
  }
}

export function makeLookup(resolve: typeof lookup = lookup): LookupFunction {
  const pending = new Map<string, Promise<LookupAddress[]>>();
  const lookUp = (hostname: string, family: number): Promise<LookupAddress[]> =>
    new Promise((good, bad) => {
      resolve(hostname, { all: true, family }, (error, addresses) => (error ? bad(error) : good(addresses)));
    });
  return (hostname, options, callback) => {
    const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : (options.family ?? 0);
    const key = `${hostname} ${family}`;
    const result = pending.get(key) ?? lookUp(hostname, family).finally(() => pending.delete(key));
    pending.set(key, result);
    result.then(
      (addresses) => {
        const bad = addresses.find(({ address }) => isLinkLocalOrMetadata(address));
        const [first] = addresses;
        if (bad) callback(new Blocked(`${hostname} (${bad.address})`), "");
        else if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
      (error) => callback(error as NodeJS.ErrnoException, ""),
    );
  };
}
