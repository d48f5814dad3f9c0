// The entry point of recordings, which is loaded when a recording is made. It creates scenarios from selected entries of a log.
import type { Schemas, Server } from "../../client/control.ts";
import type { RecordedStep } from "./log-slice.ts";
import { startRecording } from "./recorder.ts";
import { formatRecording } from "./text.ts";

export { SandboxError } from "../../client/sandbox-error.ts";
export type { Recording } from "./log-slice.ts";
export { type Recorder, startRecording } from "./recorder.ts";

/** Rejects with a SandboxError if the entries form no scenario. The message says what to choose instead. */
export async function createScenarioOfEntries(
  server: Server,
  world: string,
  { entries, title }: Schemas["RecordingInput"],
): Promise<Schemas["Recording"]> {
  const recorder = await startRecording(server, world, { entries });
  const untitled = recorder.finish("");
  const { steps } = untitled.scenario;
  const scenario = { ...untitled.scenario, title: title ?? createTitle(steps) };
  return {
    title: scenario.title,
    text: formatRecording({ ...untitled, scenario }),
    steps: steps.length,
    left_out: untitled.leftOut,
  };
}

/** A title names at most this many steps. */
const MAX_NAMED = 3;

/** Creates a title from the names of the steps with expectations. */
function createTitle(steps: readonly RecordedStep[]): string {
  const expecting = steps.filter((step) => step.expect !== undefined && step.webhook === undefined);
  const names = (expecting.length > 0 ? expecting : steps).map(({ name }) => name);
  const title = [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? ["…"] : [])].join(", ");
  return title.replace(/^./, (letter) => letter.toUpperCase());
}
