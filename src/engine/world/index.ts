// The entry point of the worlds: their records, commits and credentials.
export type { RowChange } from "./state/commit.ts";
export {
  hashOf,
  hopOf,
  isHop,
  isMarked,
  isSameToken,
  nodeIdIn,
  nodeOfSession,
  sessionIn,
  worldOfCredential,
} from "./state/credential.ts";
export type { World } from "./state/world.ts";
export type { Worlds } from "./state/worlds.ts";
