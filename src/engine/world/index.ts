// The entry point of the worlds: their records, commits and credentials.
export type { RowChange } from "./state/commit.ts";
export {
  createNodeCredential,
  formatNodeId,
  formatSessionId,
  hashToken,
  hasMark,
  hasSameToken,
  isNodeCredential,
  readCredentialWorld,
  readSessionNode,
} from "./state/credential.ts";
export { applyRows, type Collections, createCollections, type State } from "./state/schema.ts";
export type { World } from "./state/world.ts";
