// Runs a command line in this process, as a program would be answered: no terminal, no colours. With `columns`, on a screen so wide.
import { afterAll, beforeAll } from "vitest";
import { boot } from "../../src/cli/boot.ts";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";
import { defaults } from "../../src/engine/settings.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runHere(
  words: readonly string[],
  environment: Record<string, string> = {},
  columns?: number,
): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string | Uint8Array) {
      written[name] += text;
      return true;
    },
    isTTY: columns !== undefined,
    columns: columns ?? 80,
  });
  const colours = columns === undefined ? {} : { NO_COLOR: "1" };
  const terminal = makeTerminal(stream("stdout"), stream("stderr"), { ...colours, ...environment });
  return { code: await runCommand(words, { terminal, environment }), ...written };
}

/** Runs a command, and removes the listeners of signals that it would keep until its process ends. */
export async function runCommand(...args: Parameters<typeof runCommandLine>): Promise<number> {
  const before = listSignalListeners();
  try {
    return await runCommandLine(...args);
  } finally {
    for (const [signal, listener] of listSignalListeners())
      if (!before.some(([, known]) => known === listener)) process.off(signal, listener);
  }
}

const listSignalListeners = () =>
  (["SIGINT", "SIGTERM", "SIGHUP"] as const).flatMap((signal) =>
    process.listeners(signal).map((listener) => [signal, listener as NodeJS.SignalsListener] as const),
  );

/** A sandbox for the tests of a file: what a command finds it by, filled in before the first of them. */
export function sandboxOfTests(): { SANDBOX_URL: string } {
  const at = { SANDBOX_URL: "" };
  let close: () => Promise<void>;
  beforeAll(async () => {
    const running = await boot({ ...defaults, clock: "2030-06-01T09:00:00.000Z" });
    at.SANDBOX_URL = running.introduction.announcement.url;
    close = () => running.close();
  });
  afterAll(() => close());
  return at;
}
