// What is known of the caller of a request to the control API.
import type { Caller, Exchange } from "../../engine/http/extension/index.ts";
import type { Principal, Unknown } from "../teams/principal.ts";

export interface Visitor extends Caller {
  /** The team; "" until the caller is known, which is the id of no team. */
  account: string | null;
  principal?: Principal | undefined;
  /** What a token that does not count claims. */
  unknown?: Unknown;
  isDenied: boolean;
  /** The team that a request of the operator is about. */
  aboutTeam?: string | null;
}

export const findVisitor = ({ caller }: Pick<Exchange, "caller">): Visitor | undefined => caller as Visitor | undefined;

export const createVisitor = (principal: Principal | undefined, isDenied: boolean): Visitor => ({
  account: principal ? principal.team : "",
  principal,
  isDenied,
});
