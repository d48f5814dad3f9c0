// Addresses to which no message is sent: link-local and metadata addresses, also behind a name. Lookups of one name at the same time
// share one result, and get it in their order. Assumption: delivery-targets.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { decodeSegment } from "../../platform/path-segment.ts";
import { isLinkLocalOrMetadata } from "../domain/company/subscription.ts";

/** Which addresses the webhooks of a world may reach, where others than those of the rule below are closed too. */
export interface Reach {
  /** The same for those who may reach the same. */
  key: string;
  /** Why not this address of this host. */
  why(host: string, address: string): string | undefined;
}

/** What a world may reach, where worlds differ in that. */
export interface DeliveryLimits {
  reach(world: string): Reach | undefined;
  /** Resolves when all that is committed is durable, and `reach` knows the world; undefined when that is so already. */
  known(durable: Promise<void> | undefined, world: string): Promise<void> | undefined;
}

/**
 * Whether this is the control API of a sandbox. A delivery comes from this machine, where the control API may need no token, so a
 * subscription could reset worlds. The host does not matter, because other names may lead here.
 */
export function isControlApi(target: string): boolean {
  const { pathname } = new URL(target);
  return pathname.split("/").some((segment) => decodeSegment(segment)?.toLowerCase() === "_sandbox");
}

export const CONTROL_API_BLOCKED =
  "The URL is in the control API of a sandbox (`/_sandbox`), to which no message is sent. Subscribe the address of your receiver.";

export class Blocked extends Error {
  constructor(target: string, why = `${target} is a link-local or metadata address, which is never sent to.`) {
    super(why);
    this.name = "Blocked";
  }
}

/** The connection is made to an address that was checked here, so a name that changes meanwhile leads nowhere else. */
export function makeLookup(resolve: typeof lookup = lookup, reach?: Reach): LookupFunction {
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
        const why = addresses.map(({ address }) => reach?.why(hostname, address)).find((each) => each !== undefined);
        if (why !== undefined && !bad) callback(new Blocked(hostname, why), "");
        else if (bad) callback(new Blocked(`${hostname} (${bad.address})`), "");
        else if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
      (error) => callback(error as NodeJS.ErrnoException, ""),
    );
  };
}
