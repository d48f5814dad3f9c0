// A scenario of entries of a log that somebody chose one by one: the file, and what the story does not have.
import type { Schemas, Server } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import type { RecordedStep } from "./log-slice.ts";
import { startRecording } from "./recorder.ts";
import { formatRecording } from "./text.ts";

export { SandboxError };

/** Rejects with a SandboxError where the entries make no story, and says what to choose instead. */
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

/** Steps in a title; more would be no title. */
const MOST_NAMED = 3;

/** What is expected of the sandbox, by the names of the steps. */
function createTitle(steps: readonly RecordedStep[]): string {
  const expecting = steps.filter((step) => step.expect !== undefined && step.webhook === undefined);
  const names = (expecting.length > 0 ? expecting : steps).map(({ name }) => name);
  const title = [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ["…"] : [])].join(", ");
  return title.replace(/^./, (letter) => letter.toUpperCase());
}
