// How far a long command is: on a screen one line that is drawn again, otherwise a line for each step.
import { count } from "../../platform/count.ts";
import { formatMs } from "../../platform/duration-text.ts";
import type { VerdictProgress } from "../../verdict/index.ts";
import type { SoakProgress } from "../../verdict/soak/index.ts";
import { cut, type Terminal } from "./terminal.ts";

interface ProgressView<Progress> {
  report(progress: Progress): void;
  end(): void;
}

/** The line at the foot of a screen. Nothing is drawn in a file or a pipe. */
class ProgressLine {
  readonly #terminal: Terminal;
  #isDrawn = false;
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(text: string): void {
    const { sayWidth, complain } = this.#terminal;
    if (sayWidth === 0) return;
    this.clear();
    complain(cut(text, sayWidth - 2));
    this.#isDrawn = true;
  }

  clear = (): void => {
    if (this.#isDrawn) this.#terminal.redraw("");
    this.#isDrawn = false;
  };
}

function drawBar(done: number, all: number, length = 20): string {
  const full = all === 0 ? 0 : Math.round((length * done) / all);
  return "█".repeat(full) + "░".repeat(length - full);
}

const CONTROL = {
  1: "Running the command as it is, without any failure …",
  2: "Running it again, to see whether it does the same …",
};

const ALONE =
  "Beside another run the command ends at once, as one with a fixed port does. From here on one run at a time.";
const STRAYED = "A run called the sandbox of another, as with a shared .env. All are repeated, one at a time.";

const formatPlan = ({ runs, run_ms, jobs, all_ms }: Extract<VerdictProgress, { what: "planned" }>): string =>
  `${count(runs, "run")} of about ${formatMs(run_ms)}, ${jobs} at once: about ${formatMs(all_ms)}.`;

export function showCheckProgress(terminal: Terminal): ProgressView<VerdictProgress> {
  const isScreen = terminal.sayWidth > 0;
  const line = new ProgressLine(terminal);
  let total = 0;
  // A check may be decided again.
  const decided = new Set<string>();
  // Several checks run at once; the bar names all of them.
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
        if (isScreen) line.draw(CONTROL[progress.number]);
        else say(CONTROL[progress.number]);
      } else if (progress.what === "begun") {
        total = progress.checks;
        if (!isScreen) say(`It does. ${count(total, "check")}, ${progress.jobs} at once.`);
      } else if (progress.what === "planned") say(formatPlan(progress));
      else if (progress.what === "alone") say(progress.haveStrayed ? STRAYED : ALONE);
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

/** Where there is no screen, a sentence for each tenth of the days. */
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

/** Drawn again when a percent has passed: drawing for each batch would cost more than the batch. Call it with all at the end. */
export function showPopulateProgress(terminal: Terminal): (done: number, all: number) => void {
  const line = new ProgressLine(terminal);
  const length = Math.min(40, terminal.sayWidth - 30);
  let percent = -1;
  return (done, all) => {
    const now = Math.floor((100 * done) / all);
    if (terminal.sayWidth === 0 || now === percent) return;
    percent = now;
    if (done === all) line.clear();
    else line.draw(`${drawBar(done, all, length)} ${now} %, ${done} of ${all}`);
  };
}
