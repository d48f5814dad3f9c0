// The addresses that webhooks of a team may reach: public ones, and what the team's list names. A host name on the list
// allows all its addresses. Worlds without a team are the operator's, and have no limits. Ranges: IANA IPv4 and IPv6
// Special-Purpose Address Registries.
import { BlockList, isIP } from "node:net";
import type { DeliveryLimits } from "../../engine/webhooks/index.ts";
import type { Teams } from "./teams.ts";

const readFamily = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");
/** Labels of at most 63 characters and 253 in all (RFC 1035, RFC 1123). */
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Reads an address, or a range such as 10.1.0.0/16. */
function parseRange(text: string): { address: string; bits: number } | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  // isIP returns 0 for what is no address.
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (most === 0 || rest.length > 0) return undefined;
  if (bits === undefined) return { address, bits: most };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? { address, bits: Number(bits) } : undefined;
}

function createBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges.map(parseRange))
    if (range) list.addSubnet(range.address, range.bits, readFamily(range.address));
  return list;
}

/** This host, its loopback, and its link. */
const HOST_RANGES = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16"];
const PRIVATE_RANGES = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"];
/** Documentation and benchmarks. */
const TEST_RANGES = ["192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"];
/** Protocol assignments, former 6to4 relays, multicast, and reserved addresses. */
const OTHER_RANGES = ["192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4"];

/** By family, because an IPv6 range with mapped addresses would contain IPv4 addresses. */
const NOT_PUBLIC = {
  ipv4: createBlockList([...HOST_RANGES, ...PRIVATE_RANGES, ...TEST_RANGES, ...OTHER_RANGES]),
  // Public addresses begin with 001. These are the others, and the ranges for translation and documentation.
  ipv6: createBlockList(["::/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "4000::/2", "8000::/1"]),
};

/** Returns the end of a sentence about an invalid entry of a team's list, or undefined for a valid one. */
export function explainInvalidTarget(text: string): string | undefined {
  if (parseRange(text)) return undefined;
  // Digits and dots alone are a mistyped address, not a host.
  const isHost = HOST.test(text) && !/^[\d.]+$/.test(text);
  return isHost ? undefined : "is no host name, address or range. Write hooks.example.com, 10.1.2.3 or 10.1.0.0/16.";
}

/**
 * Whether a message may be sent to this address of this host. `address`: the resolved one, because a name may resolve
 * differently next time.
 */
function canReach(host: string, address: string, targets: readonly string[]): boolean {
  const family = readFamily(address);
  if (!NOT_PUBLIC[family].check(address, family)) return true;
  if (targets.some((target) => target.toLowerCase() === host.toLowerCase())) return true;
  return createBlockList(targets).check(address, family);
}

export function createWebhookLimits(teams: Pick<Teams, "load" | "readTeam" | "limits">): DeliveryLimits {
  return {
    known: (durable, world) => (durable ? durable.then(() => teams.load(world)) : teams.load(world)),
    reach(world) {
      const team = teams.readTeam(world);
      if (team === null) return undefined;
      // Every team may reach public addresses, so an unknown one may too.
      const targets = team === undefined ? [] : teams.limits.findTargets(team);
      return {
        // Teams with other targets do not share open connections.
        key: `${team} ${targets.join(" ")}`,
        why(host, address) {
          if (canReach(host, address, targets)) return undefined;
          const hostText = host === address ? host : `${host} (${address})`;
          return `${hostText} is not a public address, and webhooks of the team ${team} reach no others. The operator can allow it with \`sandbox team allow ${team} ${host}\`.`;
        },
      };
    },
  };
}
