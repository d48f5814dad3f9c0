// Shows the progress of long commands: on a terminal as one line that is redrawn, otherwise as a line per step.
import { count } from "../../platform/count.ts";
import type { VerdictProgress } from "../../verdict/index.ts";
import type { SoakProgress } from "../../verdict/soak/index.ts";
import { cut, type Terminal } from "./terminal.ts";

interface ProgressView<Progress> {
  report(progress: Progress): void;
  end(): void;
}

class ProgressLine {
  readonly #terminal: Terminal;
  #isDrawn = false;
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Replaces the line at the bottom of a terminal. Elsewhere, the text is printed. */
  show(text: string): void {
    const { sayWidth, writeStderr } = this.#terminal;
    this.clear();
    this.#isDrawn = sayWidth > 0;
    if (this.#isDrawn) writeStderr(cut(text, sayWidth - 2));
    else this.#terminal.say(text);
  }

  print(text: string): void {
    this.clear();
    this.#terminal.say(text);
  }

  clear = (): void => {
    if (this.#isDrawn) this.#terminal.redraw("");
    this.#isDrawn = false;
  };
}

const CONTROL_RUNS = {
  1: "Running the command without failures …",
  2: "Running it again to check that it behaves the same …",
};

const SERIAL_RUNS =
  "The command can't run twice at a time, for example because of a fixed port. The next runs run one at a time.";
const WRONG_SANDBOX =
  "A run called the sandbox of another run, for example because of a shared .env. All runs repeat, one at a time.";

export function showCheckProgress(terminal: Terminal): ProgressView<VerdictProgress> {
  const line = new ProgressLine(terminal);
  let total = 0;
  // A set, because a check may be decided more than once.
  const decided = new Set<string>();
  return {
    report(progress) {
      if (progress.what === "control") line.show(CONTROL_RUNS[progress.number]);
      else if (progress.what === "begun") {
        total = progress.checks;
        line.show(`It does. ${count(total, "check")}, ${progress.jobs} at a time.`);
      } else if (progress.what === "planned") line.print(progress.says);
      else if (progress.what === "alone") line.print(progress.haveStrayed ? WRONG_SANDBOX : SERIAL_RUNS);
      else if (progress.what === "decided") {
        const { id, outcome, says } = progress.result;
        decided.add(id);
        line.show(`${`${decided.size}/${total}`.padStart(5)}  ${id.padEnd(8)}  ${outcome}: ${says}`);
      }
    },
    end: line.clear,
  };
}

/** Prints a line per tenth of the days if stderr is not a terminal. */
export function showSoakProgress(terminal: Terminal): ProgressView<SoakProgress> {
  const line = new ProgressLine(terminal);
  return {
    report(progress) {
      if (progress.what === "calm") line.show("No more failures. Waiting until the program has the current state …");
      else if (terminal.sayWidth > 0 || progress.day % Math.ceil(progress.days / 10) === 0)
        line.show(`day ${progress.day} of ${progress.days}, ${progress.calls} calls`);
    },
    end: line.clear,
  };
}
