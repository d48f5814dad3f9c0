// Which addresses the webhooks of a team may reach. Worlds without a team, which are the operator's, are not limited.
import type { DeliveryLimits } from "../../engine/webhooks/index.ts";
import { mayReach } from "./private-targets.ts";
import type { Teams } from "./teams.ts";

type WebhookLimitsDeps = Pick<Teams, "atHand" | "teamAtHand" | "limits">;

export function createWebhookLimits(teams: WebhookLimitsDeps): DeliveryLimits {
  return {
    known: (durable, world) => (durable ? durable.then(() => teams.atHand(world)) : teams.atHand(world)),
    reach(world) {
      const team = teams.teamAtHand(world);
      if (team === null) return undefined;
      // Where the team is unknown: only public addresses, which everybody may reach.
      const targets = team === undefined ? [] : teams.limits.findTargets(team);
      return {
        // Connections that are kept open are not shared with those who may reach more.
        key: `${team} ${targets.join(" ")}`,
        why(host, address) {
          if (mayReach(host, address, targets)) return undefined;
          const hostText = host === address ? host : `${host} (${address})`;
          return `${hostText} is not a public address, and webhooks of the team ${team} reach no others. The operator can allow it with \`sandbox team allow ${team} ${host}\`.`;
        },
      };
    },
  };
}
