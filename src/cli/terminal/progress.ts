// Shows the progress of long commands: on a terminal as one line that is redrawn, otherwise as a line per step.
import { count } from "../../platform/count.ts";
import type { VerdictProgress } from "../../verdict/index.ts";
import type { SoakProgress } from "../../verdict/soak/index.ts";
import { cut, type Terminal } from "./terminal.ts";

interface ProgressView<Progress> {
  report(progress: Progress): void;
  end(): void;
}

/** Returns functions that show a line at the bottom of a terminal, or print it elsewhere, and that remove the line. */
function createProgressLine({ sayWidth, say, redraw, writeStderr }: Terminal) {
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) redraw("");
    isDrawn = false;
  };
  const show = (text: string) => {
    clear();
    isDrawn = sayWidth > 0;
    if (isDrawn) writeStderr(cut(text, sayWidth - 2));
    else say(text);
  };
  return { show, clear };
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
  const { show, clear } = createProgressLine(terminal);
  const print = (text: string) => {
    clear();
    terminal.say(text);
  };
  let total = 0;
  // A set, because a check may be decided more than once.
  const decided = new Set<string>();
  return {
    report(progress) {
      if (progress.what === "control") show(CONTROL_RUNS[progress.number]);
      else if (progress.what === "begun") {
        total = progress.checks;
        show(`It does. ${count(total, "check")}, ${progress.jobs} at a time.`);
      } else if (progress.what === "planned") print(progress.says);
      else if (progress.what === "alone") print(progress.haveStrayed ? WRONG_SANDBOX : SERIAL_RUNS);
      else {
        const { id, outcome, says } = progress.result;
        decided.add(id);
        show(`${`${decided.size}/${total}`.padStart(5)}  ${id.padEnd(8)}  ${outcome}: ${says}`);
      }
    },
    end: clear,
  };
}

/** Prints a line per tenth of the days if stderr is not a terminal. */
export function showSoakProgress(terminal: Terminal): ProgressView<SoakProgress> {
  const { show, clear } = createProgressLine(terminal);
  return {
    report(progress) {
      if (progress.what === "calm") show("No more failures. Waiting until the program has the current state …");
      else if (terminal.sayWidth > 0 || progress.day % Math.ceil(progress.days / 10) === 0)
        show(`day ${progress.day} of ${progress.days}, ${progress.calls} calls`);
    },
    end: clear,
  };
}
