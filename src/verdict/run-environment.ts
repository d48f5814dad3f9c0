// What a run needs: where its world is, how the program is started, and how long it may take.
import type { Connection } from "./connection.ts";
import type { Service } from "./description.ts";
import type { Ended } from "./observed.ts";
import type { RunContext, RunOptions } from "./run-context.ts";

/** `ended` resolves also where the program could not be started; `stop` may be called at any time. */
export interface Running {
  ended: Promise<Ended>;
  stop(): void;
}

/** Starts the program in the environment that `sandbox exec` gives, with some more variables. */
export type Launch = (connection: Connection, more: Readonly<Record<string, string>>) => Running;

/** Made once for all runs of a verdict. */
export interface RunEnvironment {
  /** A fresh one; its world is called after the run. */
  open(options: Pick<RunOptions, "webhookUrl"> & { name?: string }): Promise<RunContext>;
  service: Service;
  launch: Launch;
  /** Where the program's receiver will listen; `{port}` is a free port, which the program finds in PORT. */
  webhookUrl?: string | undefined;
  /** The longest that a run may take. */
  limitMs: number;
  /** Known after the first run: the program does not end by itself. */
  serves?: boolean;
  /** Asks the program, at the end of a run, for its own state. `more` are the variables that it had besides. */
  probe?: ((connection: Connection, more: Readonly<Record<string, string>>) => Promise<unknown>) | undefined;
  /** Makes an empty folder for what the program keeps in a run, which it finds in SANDBOX_RUN_FOLDER. */
  freshFolder?: (() => string) | undefined;
}
