// How far a soak is: on a screen one line that moves, otherwise a line for each tenth of it.
import type { SoakProgress } from "../../verdict/soak/index.ts";
import { cut, type Terminal } from "./terminal.ts";

const WIDTH = 20;

/**
 * One line at the foot of the terminal, which is drawn again; where there is no terminal, a sentence for each tenth of
 * the days.
 */
export function soakProgressOn(terminal: Terminal) {
  const { sayWidth } = terminal;
  let written = false;
  const clear = () => {
    if (written) terminal.redraw("");
    written = false;
  };
  const draw = (text: string) => {
    clear();
    terminal.complain(cut(text, sayWidth - 2));
    written = true;
  };
  return {
    report(progress: SoakProgress) {
      const words =
        progress.what === "calm"
          ? "No more bad weather. Waiting until the program knows what is so …"
          : `day ${progress.day} of ${progress.days}, ${progress.calls} calls`;
      if (sayWidth > 0) return draw(progress.what === "calm" ? words : `${bar(progress)}  ${words}`);
      const every = progress.what === "calm" ? 1 : Math.ceil(progress.days / 10);
      if (progress.what === "calm" || progress.day % every === 0) terminal.say(words);
    },
    end: clear,
  };
}

function bar({ day, days }: { day: number; days: number }): string {
  const done = Math.round((WIDTH * day) / days);
  return "█".repeat(done) + "░".repeat(WIDTH - done);
}
