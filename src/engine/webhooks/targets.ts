// Blocks addresses to which no message is sent: link-local and metadata addresses, including hosts that resolve to them. Concurrent
// lookups of one host share one result, and get it in their order. Assumption: delivery-targets.
import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { decodeSegment } from "../../platform/path-segment.ts";
import { isLinkLocalOrMetadata } from "../domain/company/subscription.ts";

/** Blocks addresses for the webhooks of a world, in addition to the addresses that are blocked for every world. */
export interface Reach {
  /** Identifies the limits: worlds with the same key may reach the same addresses. */
  key: string;
  /** Returns why this address of the host is blocked; undefined if it is allowed. */
  why(host: string, address: string): string | undefined;
}

/** The limits of each world, if worlds have different limits. */
export interface DeliveryLimits {
  reach(world: string): Reach | undefined;
  /** Resolves when all commits are durable and `reach` knows the world; undefined if both are already true. */
  known(durable: Promise<void> | undefined, world: string): Promise<void> | undefined;
}

/**
 * Returns whether the URL belongs to the control API of a sandbox. The control API may accept deliveries from this machine without a
 * token, so a subscription could reset worlds. The host is not checked, because other names may resolve to this machine.
 */
export function isControlApi(target: string): boolean {
  const { pathname } = new URL(target);
  return pathname.split("/").some((segment) => decodeSegment(segment)?.toLowerCase() === "_sandbox");
}

export const CONTROL_API_BLOCKED =
  "The URL belongs to the control API of a sandbox (`/_sandbox`), which never receives messages. Use the URL of your receiver.";

export class Blocked extends Error {
  constructor(target: string, why = `${target} is a link-local or metadata address, which is never sent to.`) {
    super(why);
    this.name = "Blocked";
  }
}

/** Returns a lookup that checks every address. The connection uses the checked address, so a later DNS change has no effect. */
export function makeLookup(resolve: typeof lookup = lookup, reach?: Reach): LookupFunction {
  const pending = new Map<string, Promise<LookupAddress[]>>();
  const lookUp = (hostname: string, family: number): Promise<LookupAddress[]> =>
    new Promise((onSuccess, onError) => {
      resolve(hostname, { all: true, family }, (error, addresses) => (error ? onError(error) : onSuccess(addresses)));
    });
  return (hostname, options, callback) => {
    const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : (options.family ?? 0);
    const key = `${hostname} ${family}`;
    const result = pending.get(key) ?? lookUp(hostname, family).finally(() => pending.delete(key));
    pending.set(key, result);
    result.then(
      (addresses) => {
        const blocked = addresses.find(({ address }) => isLinkLocalOrMetadata(address));
        const [first] = addresses;
        const why = addresses.map(({ address }) => reach?.why(hostname, address)).find((each) => each !== undefined);
        if (why !== undefined && !blocked) callback(new Blocked(hostname, why), "");
        else if (blocked) callback(new Blocked(`${hostname} (${blocked.address})`), "");
        else if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? "", first?.family ?? 4);
      },
      (error) => callback(error as NodeJS.ErrnoException, ""),
    );
  };
}
