// The known facts about the caller of a request to the control API.
import type { Caller, Exchange } from "../../engine/http/extension/index.ts";
import type { Principal, Unknown } from "../teams/principals.ts";

export interface Visitor extends Caller {
  /** The team; "" until the caller is known, because no team has this id. */
  account: string | null;
  principal?: Principal | undefined;
  /** The claims of a caller whose credentials are not accepted. */
  unknown?: Unknown;
  isDenied: boolean;
  /** The team that a request of the operator concerns. */
  aboutTeam?: string | null;
}

export const findVisitor = ({ caller }: Pick<Exchange, "caller">): Visitor | undefined => caller as Visitor | undefined;

export const createVisitor = (principal: Principal | undefined, isDenied: boolean): Visitor => ({
  account: principal ? principal.team : "",
  principal,
  isDenied,
});
