// All readers of the stream of one sandbox: they share the texts of the entries, and the time that one turn has for them.

import { Slice } from "../../../platform/slices.ts";
import type { HistoryPort } from "../../app/application.ts";
import { StreamTexts } from "./stream-texts.ts";

interface WaitingReader {
  catchUp(): void;
}

export class Crowd {
  readonly texts: StreamTexts;
  readonly #slice = new Slice();
  readonly #waiting = new Set<WaitingReader>();
  #isRunning = false;

  constructor({ log }: HistoryPort) {
    this.texts = new StreamTexts(log);
  }

  /** A turn has no time left for another reader, which then waits for the next. */
  get isFull(): boolean {
    this.#run();
    return this.#slice.isOver;
  }

  wait(reader: WaitingReader): void {
    this.#waiting.add(reader);
    this.#run();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#slice.begin();
    setImmediate(() => {
      this.#isRunning = false;
      this.#slice.begin();
      for (const reader of this.#waiting) {
        // Those left over come first in the next turn.
        if (this.#slice.isOver) break;
        // Before it catches up, which may put it back.
        this.#waiting.delete(reader);
        reader.catchUp();
      }
      if (this.#waiting.size > 0) this.#run();
    });
  }
}
