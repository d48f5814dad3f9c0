// Exports the terms and values of the service that other modules share.
export { SCOPES } from "./company/key.ts";
export { findSubscriptionOfStart } from "./company/subscription.ts";
export { BEGAN } from "./kernel/beginnings.ts";
export { rejectInput } from "./kernel/domain-error.ts";
export { toCode } from "./kernel/error-codes.ts";
export { toWords } from "./kernel/facts.ts";
export { ANY, findFaultProblem, LIST_CHANGES } from "./kernel/fault-rules.ts";
export { describeFaultDetails, hasEffect } from "./kernel/fault-words.ts";
export { describeSize, PATTERNS } from "./kernel/forms.ts";
export {
  after,
  before,
  fromMillis,
  isBeyondTime,
  isDuration,
  MAX_MOVE,
  readInstant,
  toMillis,
} from "./kernel/instant.ts";
export { EVENT_KINDS } from "./kernel/kinds.ts";
export { TOKEN_LIFETIME_SECONDS } from "./kernel/token-lifetime.ts";
export { lifeCycles } from "./kernel/transitions.ts";
