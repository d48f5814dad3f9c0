// The entry point of the stories: what reports and checks share with scenarios.
export { type Case, junitText } from "./junit.ts";
export { textOf } from "./recording/text.ts";
export { type Relayed, RelayLost, relayTo } from "./relayed.ts";
export { ddmin } from "./shrink/ddmin.ts";
