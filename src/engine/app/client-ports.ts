// Declares what modules above the engine provide to the transport: checks of the log, MCP sessions, recorded scenarios,
// and the worlds of several processes.
import type { Schemas } from "../../contract/schemas.ts";

export interface LoggedTraffic {
  /** The requests, oldest first. Each is created when it is read. */
  requests: Iterable<Schemas["RequestEntry"]>;
  subscriptions: readonly object[];
  /** The API description in force. */
  document: Readonly<Record<string, unknown>>;
}

/** Checks the logged traffic of a program with the checks of a verdict. Other requests are served in the meantime. */
export type Lint = (traffic: LoggedTraffic) => Promise<Schemas["LintResult"][]>;

export interface McpMessage {
  /** The header mcp-session-id. */
  session: string | undefined;
  /** The header mcp-protocol-version. */
  protocol: string | undefined;
  body: unknown;
  /** An existing world to work in instead of one of the session's own. */
  world: string | undefined;
  /** The token of the caller, if there are accounts. It limits what the session may do. */
  token?: string | undefined;
  /** The account of the caller, who may only use its own sessions; undefined for the person who runs the sandbox. */
  account?: string | undefined;
}

export interface McpAnswer {
  status: number;
  session?: string;
  body?: unknown;
  /** A sentence that explains a failure. */
  rejection?: string;
}

/** Sessions of the Model Context Protocol. */
export interface McpSessions {
  ask(message: McpMessage): Promise<McpAnswer>;
  /** Resolves to whether there was such a session. */
  end(session: string, account?: string): Promise<boolean>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface RecordingRequest {
  world: string;
  wanted: Schemas["RecordingInput"];
  /** The credentials of the caller, if there are accounts. They limit what the recorder may do. */
  credentials?: Readonly<Record<string, string>> | undefined;
}

/** The reason why there is no scenario. */
export interface NoRecording {
  status: number;
  code: Schemas["ErrorCode"];
  rejection: string;
}

/** Records a scenario from the log of a world. */
export type RecordScenario = (request: RecordingRequest) => Promise<Schemas["Recording"] | NoRecording>;

/** A world, in memory or not. */
export interface ListedWorld {
  id: string;
  /** The source of the world: the fixture, its seed, and the world that was forked. */
  recipe: { fixture: string; seed: string; forked_from?: string } | null;
  /** ISO 8601. */
  used_at: string;
}

interface WantedWorlds {
  /** The account that gets the worlds; null for none. */
  account: string | null;
  /** The id of a single world, if the caller chose it. */
  id?: string | undefined;
  /** The world to copy, whose account gets the copies. */
  copyOf?: string;
}

/** Lists the worlds of several processes that serve one sandbox, with their owners. */
export interface WorldDirectory {
  /** Lists the worlds of an account, or all. */
  list(account: string | undefined): Promise<readonly ListedWorld[]>;
  /** Throws 409 if the worlds are not allowed. Resolves to a function that runs their creation. */
  prepare(wanted: WantedWorlds): Promise<<T>(create: () => T) => T>;
  /** Releases a world that was only created here. It moves to the process that receives its first request. */
  release(world: string): Promise<void>;
}
