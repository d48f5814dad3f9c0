// Where a message may not be sent: link-local and metadata addresses, also when a name only resolves to one. Assumption:
// delivery-targets. Questions for one name that are asked at the same time share one answer, and are answered in order.
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
  const asked = new Map<string, Promise<LookupAddress[]>>();
  const ask = (hostname: string, family: number): Promise<LookupAddress[]> =>
    new Promise((good, bad) => {
      resolve(hostname, { all: true, family }, (error, addresses) => (error ? bad(error) : good(addresses)));
    });
  return (hostname, options, callback) => {
    const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : (options.family ?? 0);
    const key = `${hostname} ${family}`;
    const answer = asked.get(key) ?? ask(hostname, family).finally(() => asked.delete(key));
    asked.set(key, answer);
    answer.then(
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
