// The entry point of the stories: what reports and checks share with scenarios.
export { type Case, formatJunit as junitText } from "./junit.ts";
export { formatRecording as textOf } from "./recording/text.ts";
export { type Relayed, RelayLost, startRelay as relayTo } from "./relayed.ts";
export { minimize as ddmin } from "./shrink/ddmin.ts";
