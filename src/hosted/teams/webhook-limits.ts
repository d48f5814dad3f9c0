// The addresses that webhooks of a team may reach. Worlds without a team are the operator's, and have no limits.
import type { DeliveryLimits } from "../../engine/webhooks/index.ts";
import { canReach } from "./private-targets.ts";
import type { Teams } from "./teams.ts";

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
