// What the webhooks of a team may do: how many attempts, and which addresses. Worlds without a team, which are the operator's, are not limited.

import type { Teams } from "../../engine/app/teams.ts";
import { mayReach } from "../../engine/domain/company/private-targets.ts";

type WebhookLimitsDeps = Pick<Teams, "atHand" | "teamAtHand" | "limits">;

/** Nothing is sent before it is known whose the world is. */
export function durableAndKnown(durable: Promise<void> | undefined, teams: WebhookLimitsDeps, world: string) {
  return durable ? durable.then(() => teams.atHand(world)) : teams.atHand(world);
}

/**
 * `pause`: milliseconds until the next attempt is allowed, 0 for now. `reach`: undefined where every address is
 * allowed.
 */
export function webhookLimits({ teamAtHand, limits }: WebhookLimitsDeps) {
  return {
    pause(world: string): number {
      const team = teamAtHand(world);
      return team ? limits.attempt(team) : 0;
    },
    reach(world: string) {
      const team = teamAtHand(world);
      if (team === null) return undefined;
      // Unknown whose it is: then only public addresses, which everybody may reach.
      const targets = team === undefined ? [] : limits.targets(team);
      return {
        // Connections that are kept open are not shared with those who may reach more.
        key: `${team} ${targets.join(" ")}`,
        why(host: string, address: string): string | undefined {
          if (mayReach(host, address, targets)) return undefined;
          const hostText = host === address ? host : `${host} (${address})`;
          return `${hostText} is not a public address, and webhooks of the team ${team} reach no others. The operator can allow it with \`sandbox team allow ${team} ${host}\`.`;
        },
      };
    },
  };
}
