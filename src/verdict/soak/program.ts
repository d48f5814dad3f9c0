// The program of a soak: started, stopped and started again, each time with the same environment.
import type { Connection } from "../connection.ts";
import type { Ended } from "../observed.ts";
import type { Launch, Running } from "../run-environment.ts";

export interface Program {
  start(): void;
  stop(): Promise<void>;
  /** How it ended, where nobody stopped it. */
  died(): Ended | undefined;
  /** The end of what it printed last. */
  output(): string;
}

export function programOf(launch: Launch, connection: Connection, more: Readonly<Record<string, string>>): Program {
  let running: Running | undefined;
  let died: Ended | undefined;
  let output = "";
  return {
    start() {
      if (running) return;
      const started = launch(connection, more);
      running = started;
      void started.ended.then((ended) => {
        output = ended.output;
        // One that was stopped has not died.
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
