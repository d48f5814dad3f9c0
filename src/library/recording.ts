// What happens in a world, as a scenario.
import type { Server } from "../client/control.ts";
import { rethrow } from "../client/wording.ts";
import type { RecordOptions, WorldRecording } from "./types.ts";

export async function recordingOf(server: Server, world: string, selection?: RecordOptions): Promise<WorldRecording> {
  const { startRecording } = await import("../stories/recording/recorder.ts");
  const recorder = await startRecording(server, world, selection).catch(rethrow);
  return {
    async story(title) {
      const { textOf } = await import("../stories/recording/text.ts");
      await recorder.read().catch(rethrow);
      const recording = await Promise.resolve()
        .then(() => recorder.finish(title))
        .catch(rethrow);
      return { ...recording, text: textOf(recording) };
    },
  };
}
