// Scenarios of a world's log, as the transport knows them: who makes them is a client, and asks as the caller does.
import type { Schemas } from "../../contract/schemas.ts";

interface RecordingRequest {
  world: string;
  wanted: Schemas["RecordingInput"];
  /** The headers that let the caller in, where callers are told apart: the recorder may do no more. */
  credentials?: Readonly<Record<string, string>> | undefined;
}

/** Why there is no scenario. */
export interface NoRecording {
  status: number;
  code: Schemas["ErrorCode"];
  rejection: string;
}

export type RecordScenario = (request: RecordingRequest) => Promise<Schemas["Recording"] | NoRecording>;
