// Asks for a secret on the terminal without showing what is typed or pasted.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Misuse } from "../failure.ts";

/** Returns undefined if the user cancels with Ctrl-C or Ctrl-D. */
export async function askSecret(
  question: string,
  say: (text: string) => void,
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
): Promise<string | undefined> {
  if (!input.isTTY)
    throw new Misuse(
      "There is no terminal to type the token on. Pipe it in: sandbox login <address> --token - < file.",
    );
  say(question);
  // Readline echoes every key to its output, so the output discards everything.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input, output: silent, terminal: true });
  const cancelled = new Promise<undefined>((resolve) => prompt.once("close", () => resolve(undefined)));
  const answer = await Promise.race([prompt.question("").catch(() => undefined), cancelled]);
  prompt.close();
  say("\n");
  return answer;
}
