// The environment of a run: how its world is opened, how the program is started, and how long it may take.
import type { Service } from "./description.ts";
import type { ProgramEnd } from "./observed.ts";
import type { Connection, RunContext, RunOptions } from "./run-context.ts";

/** `ended` also resolves if the program could not be started. `stop` may be called at any time. */
export interface Running {
  ended: Promise<ProgramEnd>;
  stop(): void;
}

/** Starts the program with the environment of `sandbox exec` and additional variables. */
export type Launch = (connection: Connection, more: Readonly<Record<string, string>>) => Running;

/** The environment is created once for all runs of a verdict. */
export interface RunEnvironment {
  /** Opens a new world that is named after the run. */
  open(options: Pick<RunOptions, "webhookUrl"> & { name?: string }): Promise<RunContext>;
  service: Service;
  launch: Launch;
  /** The address of the program's receiver. `{port}` is replaced by a free port, which the program reads from PORT. */
  webhookUrl?: string | undefined;
  /** The longest time that a run may take. */
  limitMs: number;
  /** Set after the first run: the program does not end by itself. */
  serves?: boolean;
  /** Reads the program's own state at the end of a run. `more` contains the additional variables of the program. */
  probe?: ((connection: Connection, more: Readonly<Record<string, string>>) => Promise<unknown>) | undefined;
  /** Creates an empty folder for the program's files, which it finds in SANDBOX_RUN_FOLDER. */
  freshFolder?: (() => string) | undefined;
}
