// sandbox wait: returns when a sandbox answers.
import { setTimeout as sleep } from "node:timers/promises";
import { isReady, readUrl } from "../client.ts";
import { type Call, type Command, jsonOption, option, urlOption } from "../command.ts";
import { Failure } from "../failure.ts";
import { findSandbox } from "../find-sandbox.ts";
import { MAX_WAIT_MS } from "../identify-server.ts";
import { type Given, replaceTexts } from "../options.ts";

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
  const measureRest = () => Math.max(PAUSE_MS, Math.ceil(end - performance.now()));
  // Nothing is proved to a server that may be another program: waiting needs no token.
  const tokenless = replaceTexts(given, { "control-token": undefined });
  // Every look searches again: a sandbox that is starting writes its address when it is ready.
  for (;;) {
    const found = await findSandbox(tokenless, environment, { limitMs: Math.min(measureRest(), MAX_WAIT_MS) });
    const url = "problem" in found ? undefined : readUrl(given.label("url"), found.url);
    if (url !== undefined && (await isReady(url, measureRest()))) return reportReady(url, given, terminal);
    if (performance.now() + PAUSE_MS >= end)
      throw new Failure(
        "problem" in found
          ? `No sandbox was ready within ${seconds} s. ${found.problem}`
          : `No sandbox answered at ${url} within ${seconds} s. Start one with \`sandbox start\`, or wait longer with --timeout.`,
      );
    await sleep(PAUSE_MS);
  }
}

function reportReady(url: string, given: Given, terminal: Call["terminal"]): undefined {
  if (given.flag("json")) terminal.json({ url, ready: true });
  else terminal.print(`${url} is ready.`);
}
