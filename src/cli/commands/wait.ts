// sandbox wait: waits until a sandbox is ready.
import { setTimeout as sleep } from "node:timers/promises";
import { isReady, readUrl } from "../client.ts";
import { type Call, type Command, jsonOption, option, urlOption } from "../command.ts";
import { Failure } from "../failure.ts";
import { findSandbox, MAX_WAIT_MS } from "../find-sandbox.ts";
import { replaceTexts } from "../options.ts";

const POLL_INTERVAL_MS = 100;

export const wait: Command = {
  name: "wait",
  summary: "Wait until a sandbox is ready.",
  options: [
    { ...urlOption, finds: false },
    option.number("timeout", "seconds", "Maximum time to wait.", { default: 30 }),
    jsonOption,
  ],
  run: waitUntilReady,
};

async function waitUntilReady({ given, terminal, environment }: Call): Promise<undefined> {
  const seconds = given.number("timeout");
  const end = performance.now() + seconds * 1000;
  const measureRest = () => Math.max(POLL_INTERVAL_MS, Math.ceil(end - performance.now()));
  // No token is sent, because the address may belong to another program.
  const tokenless = replaceTexts(given, { "control-token": undefined });
  // The address is searched in each round, because a sandbox writes it only when it is ready.
  for (;;) {
    const limitMs = Math.min(measureRest(), MAX_WAIT_MS);
    const found = await findSandbox(tokenless, environment, { limitMs }).catch((error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    });
    const url = found instanceof Failure ? undefined : readUrl(given.label("url"), found.url);
    if (url !== undefined && (await isReady(url, measureRest())))
      return void (given.flag("json") ? terminal.json({ url, ready: true }) : terminal.print(`${url} is ready.`));
    if (performance.now() + POLL_INTERVAL_MS >= end)
      throw new Failure(
        found instanceof Failure
          ? `No sandbox was ready within ${seconds} s. ${found.message}`
          : `No sandbox answered at ${url} within ${seconds} s. Start one with \`sandbox start\`, or wait longer with --timeout.`,
      );
    await sleep(POLL_INTERVAL_MS);
  }
}
