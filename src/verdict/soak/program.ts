// Starts and stops the program of a soak, each time with the same environment.
import type { ProgramEnd } from "../observed.ts";
import type { Connection } from "../run-context.ts";
import type { Launch, Running } from "../run-environment.ts";

export class Program {
  /** How the program ended, if it ended by itself. */
  crash: ProgramEnd | undefined;
  /** The end of its last output. */
  output = "";
  #running: Running | undefined;

  constructor(
    readonly launch: Launch,
    readonly connection: Connection,
    readonly variables: Readonly<Record<string, string>>,
  ) {}

  start(): void {
    if (this.#running) return;
    const started = this.launch(this.connection, this.variables);
    this.#running = started;
    void started.ended.then((ended) => {
      this.output = ended.output;
      // A program that was stopped did not end by itself.
      if (this.#running === started) this.crash = ended;
    });
  }

  async stop(): Promise<void> {
    const stopped = this.#running;
    this.#running = undefined;
    if (this.crash) return;
    stopped?.stop();
    await stopped?.ended;
  }
}
