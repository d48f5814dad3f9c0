// The entry point of the domain: the words and values of the service that other modules share.
export { SCOPES } from "./company/key.ts";
export { findSubscriptionOfStart } from "./company/subscription.ts";
export { BEGAN } from "./kernel/beginnings.ts";
export { rejectInput } from "./kernel/domain-error.ts";
export { toWords } from "./kernel/facts.ts";
export { ANY, findBroken, LIST_CHANGES } from "./kernel/fault-rules.ts";
export { wordsBesideName } from "./kernel/fault-words.ts";
export { PATTERNS, sizeInWords } from "./kernel/forms.ts";
export {
  after,
  before,
  FURTHEST,
  fromMillis,
  isBeyondTime,
  isDuration,
  readInstant,
  toMillis,
} from "./kernel/instant.ts";
export { EVENT_KINDS, type EventKind } from "./kernel/kinds.ts";
export { TOKEN_LIFETIME_SECONDS } from "./kernel/token-lifetime.ts";
export { lifeCycles } from "./kernel/transitions.ts";
