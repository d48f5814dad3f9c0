// How far a verdict is: on a screen one line that moves, otherwise a line for each check that is decided.
import { count } from "../../platform/count.ts";
import { duration } from "../../platform/duration-text.ts";
import type { VerdictProgress } from "../../verdict/index.ts";
import { cut, type Terminal } from "./terminal.ts";

interface ProgressView {
  report(progress: VerdictProgress): void;
  end(): void;
}

const CONTROL = {
  1: "Running the command as it is, without any failure …",
  2: "Running it once more, to see whether it does the same …",
};

const ALONE =
  "Beside another run the command ends at once, as one with a fixed port does. From here on one run at a time.";

function plannedWords({ runs, run_ms, jobs }: Extract<VerdictProgress, { what: "planned" }>): string {
  // An estimate from the two runs without a failure.
  const all = duration(Math.ceil(runs / jobs) * run_ms);
  return `${count(runs, "run")} of about ${duration(run_ms)}, ${jobs} at once: about ${all}.`;
}

export function progressOn(terminal: Terminal): ProgressView {
  const { sayWidth } = terminal;
  let [total, decided, written] = [0, 0, false];
  // Several checks run at once; the bar names all of them.
  const running = new Set<string>();
  const clear = () => {
    if (written) terminal.redraw("");
    written = false;
  };
  const draw = (text: string) => {
    // What is no screen gets whole lines, and nothing that moves.
    if (sayWidth === 0) return;
    clear();
    terminal.complain(cut(text, sayWidth - 2));
    written = true;
  };
  const bar = () => {
    const width = 20;
    const done = total === 0 ? 0 : Math.round((width * decided) / total);
    draw(`${"█".repeat(done)}${"░".repeat(width - done)} ${decided}/${total}  ${[...running].join(", ")}`);
  };
  return {
    report(progress) {
      if (progress.what === "control") {
        if (sayWidth === 0) terminal.say(CONTROL[progress.number]);
        else draw(CONTROL[progress.number]);
      } else if (progress.what === "begun") {
        total = progress.checks;
        if (sayWidth === 0) terminal.say(`It does. ${count(total, "check")}, ${progress.jobs} at once.`);
      } else if (progress.what === "planned") {
        clear();
        terminal.say(plannedWords(progress));
      } else if (progress.what === "alone") {
        clear();
        terminal.say(ALONE);
      } else if (progress.what === "started") {
        running.add(progress.check.id);
        bar();
      } else {
        const { id, outcome, says } = progress.result;
        running.delete(id);
        decided++;
        if (sayWidth === 0) terminal.say(`${`${decided}/${total}`.padStart(5)}  ${id.padEnd(8)}  ${outcome}: ${says}`);
        else bar();
      }
    },
    end: clear,
  };
}
