// The entry point of recordings, which is loaded when a recording is made.

export { createScenarioOfEntries, SandboxError } from "./chosen.ts";
export type { Recording } from "./log-slice.ts";
export { type Recorder, startRecording } from "./recorder.ts";
