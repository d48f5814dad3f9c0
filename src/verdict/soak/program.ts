// Starts and stops the program of a soak, each time with the same environment.

import type { ProgramEnd } from "../observed.ts";
import type { Connection } from "../run-context.ts";
import type { Launch, Running } from "../run-environment.ts";

export interface Program {
  start(): void;
  stop(): Promise<void>;
  /** How the program ended, if it ended by itself. */
  died(): ProgramEnd | undefined;
  /** The end of its last output. */
  output(): string;
}

export function createProgram(launch: Launch, connection: Connection, more: Readonly<Record<string, string>>): Program {
  let running: Running | undefined;
  let died: ProgramEnd | undefined;
  let output = "";
  return {
    start() {
      if (running) return;
      const started = launch(connection, more);
      running = started;
      void started.ended.then((ended) => {
        output = ended.output;
        // A program that was stopped did not end by itself.
        if (running === started) died = ended;
      });
    },
    async stop() {
      const stopped = running;
      running = undefined;
      if (died) return;
      stopped?.stop();
      await stopped?.ended;
    },
    died: () => died,
    output: () => output,
  };
}
