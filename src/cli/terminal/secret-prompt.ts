// Asks for a secret on the terminal without showing what is typed or pasted.
import { Misuse } from "../failure.ts";

type KeyInput = Pick<NodeJS.ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "resume" | "pause" | "setEncoding">;

const [ENTER, CTRL_C, CTRL_D, CTRL_U, BACKSPACE] = [/[\r\n]/, "\u0003", "\u0004", "\u0015", /[\b\u007f]/];

/** Returns undefined if the user cancels with Ctrl-C or Ctrl-D. */
export function askSecret(
  question: string,
  say: (text: string) => void,
  input: KeyInput = process.stdin,
): Promise<string | undefined> {
  if (!input.isTTY)
    throw new Misuse(
      "There is no terminal to type the token on. Pipe it in: sandbox login <address> --token - < file.",
    );
  say(question);
  // Raw mode disables the echo; Ctrl-C then arrives as a key.
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.resume();
  return new Promise((resolve) => {
    let typed = "";
    const end = (answer: string | undefined) => {
      input.off("data", read);
      // Echo has to be restored first, or the shell would not show what is typed next.
      input.setRawMode(false);
      input.pause();
      say("\n");
      resolve(answer);
    };
    const read = (text: string) => {
      // Pasted text arrives in one piece.
      for (const key of text) {
        if (ENTER.test(key)) return end(typed);
        if (key === CTRL_C || key === CTRL_D) return end(undefined);
        if (key === CTRL_U) typed = "";
        else if (BACKSPACE.test(key)) typed = typed.slice(0, -1);
        else typed += key;
      }
    };
    input.on("data", read);
  });
}
