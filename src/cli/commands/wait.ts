// sandbox wait: returns when a sandbox answers.
import { setTimeout as sleep } from "node:timers/promises";
import { isOfSandbox, readUrl } from "../client.ts";
import { type Call, type Command, jsonOption, option, urlOption } from "../command.ts";
import { Failure } from "../failure.ts";
import { findSandbox } from "../find-sandbox.ts";
import type { Given } from "../options.ts";

/** Between two looks. */
const PAUSE_MS = 100;

export const wait: Command = {
  name: "wait",
  summary: "Return when a sandbox answers.",
  options: [
    { ...urlOption, finds: false },
    option.number("timeout", "seconds", "How long to wait for it.", { default: 30 }),
    jsonOption,
  ],
  run: waitUntilItAnswers,
};

async function waitUntilItAnswers({ given, terminal, environment }: Call): Promise<undefined> {
  const seconds = given.number("timeout");
  const end = performance.now() + seconds * 1000;
  // Nothing is proved to a server that may be another program: waiting needs no token.
  const tokenless: Given = { ...given, text: (name) => (name === "control-token" ? undefined : given.text(name)) };
  // One that is only starting writes its address when it is ready.
  const find = async () => readUrl(given.label("url"), (await findSandbox(tokenless, environment)).url);
  let url = await find();
  for (; !(await isHealthy(url, end)); url = await find()) {
    if (performance.now() + PAUSE_MS >= end) {
      throw new Failure(
        `No sandbox answered at ${url} within ${seconds} s. Start one with \`sandbox start\`, or wait longer with --timeout.`,
      );
    }
    await sleep(PAUSE_MS);
  }
  if (given.flag("json")) terminal.json({ url, ready: true });
  else terminal.print(`${url} is ready.`);
}

/** A sandbox, and not only something that listens there. */
async function isHealthy(url: string, end: number): Promise<boolean> {
  try {
    // One request must not outlive the whole wait.
    const left = Math.max(PAUSE_MS, Math.ceil(end - performance.now()));
    const answer = await fetch(`${url}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(left) });
    await answer.arrayBuffer();
    return answer.ok && isOfSandbox(answer);
  } catch {
    return false;
  }
}
