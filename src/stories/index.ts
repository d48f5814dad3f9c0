// The entry point of the stories: what reports and checks share with scenarios.
export { type Case, formatJunit } from "./junit.ts";
export { formatRecording } from "./recording/text.ts";
export { type Relayed, RelayLost, startRelay } from "./relayed.ts";
export { minimize } from "./shrink/ddmin.ts";
