// Shows the progress of long commands: on a terminal as one line that is redrawn, otherwise as a line per step.
import { count } from "../../platform/count.ts";
import type { VerdictProgress } from "../../verdict/index.ts";
import type { SoakProgress } from "../../verdict/soak/index.ts";
import { cut, type Terminal } from "./terminal.ts";

interface ProgressView<Progress> {
  report(progress: Progress): void;
  end(): void;
}

/** The progress line at the bottom of a terminal. It draws nothing in a file or a pipe. */
class ProgressLine {
  readonly #terminal: Terminal;
  #isDrawn = false;
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(text: string): void {
    const { sayWidth, writeStderr } = this.#terminal;
    if (sayWidth === 0) return;
    this.clear();
    writeStderr(cut(text, sayWidth - 2));
    this.#isDrawn = true;
  }

  clear = (): void => {
    if (this.#isDrawn) this.#terminal.redraw("");
    this.#isDrawn = false;
  };
}

function drawBar(done: number, all: number): string {
  const full = all === 0 ? 0 : Math.round((20 * done) / all);
  return "█".repeat(full) + "░".repeat(20 - full);
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
  const isScreen = terminal.sayWidth > 0;
  const line = new ProgressLine(terminal);
  let total = 0;
  // A set, because a check may be decided more than once.
  const decided = new Set<string>();
  // The progress line names all checks that are running.
  const running = new Set<string>();
  const drawChecks = () =>
    line.draw(`${drawBar(decided.size, total)} ${decided.size}/${total}  ${[...running].join(", ")}`);
  const say = (text: string) => {
    line.clear();
    terminal.say(text);
  };
  return {
    report(progress) {
      if (progress.what === "control") {
        if (isScreen) line.draw(CONTROL_RUNS[progress.number]);
        else say(CONTROL_RUNS[progress.number]);
      } else if (progress.what === "begun") {
        total = progress.checks;
        if (!isScreen) say(`It does. ${count(total, "check")}, ${progress.jobs} at a time.`);
      } else if (progress.what === "planned") say(`${count(progress.runs, "run")}, ${progress.jobs} at a time.`);
      else if (progress.what === "alone") say(progress.haveStrayed ? WRONG_SANDBOX : SERIAL_RUNS);
      else if (progress.what === "started") {
        running.add(progress.check.id);
        drawChecks();
      } else {
        const { id, outcome, says } = progress.result;
        running.delete(id);
        decided.add(id);
        if (isScreen) drawChecks();
        else say(`${`${decided.size}/${total}`.padStart(5)}  ${id.padEnd(8)}  ${outcome}: ${says}`);
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
      const isCalm = progress.what === "calm";
      const words = isCalm
        ? "No more failures. Waiting until the program has the current state …"
        : `day ${progress.day} of ${progress.days}, ${progress.calls} calls`;
      line.draw(isCalm ? words : `${drawBar(progress.day, progress.days)}  ${words}`);
      const isTenth = isCalm || progress.day % Math.ceil(progress.days / 10) === 0;
      if (terminal.sayWidth === 0 && isTenth) terminal.say(words);
    },
    end: line.clear,
  };
}
