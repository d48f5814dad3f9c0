// sandbox start: serves until it is told to stop, and shows what happens.
import type { Call, Command, Option } from "../command.ts";
import { askedToStop } from "../ending.ts";
import { findable } from "../find-sandbox.ts";
import { configurable, readSettings, startOptions } from "../start-settings.ts";

const watch: Option = {
  name: "watch",
  kind: "flag",
  default: false,
  meaning: "Reset the world when the folder of --fixture has changed and is sound.",
};

export const start: Command = {
  name: "start",
  summary: "Serve until stopped, and show what happens.",
  options: [...startOptions, watch],
  configured: configurable,
  epilogue: "Ctrl-C ends cleanly and keeps the state; a second one ends at once.",
  run: serveUntilStopped,
};

async function serveUntilStopped({ given, terminal }: Call): Promise<number> {
  const settings = readSettings(given);
  const stopped = askedToStop();
  const [{ boot }, watching] = await Promise.all([
    import("../boot.ts"),
    given.flag("watch") ? import("../fixture-watch.ts") : undefined,
  ]);
  watching?.mustBeWatchable(settings.fixture);
  const warn = (sentence: string) => terminal.say(`Warning: ${sentence}`);
  const running = await boot(settings, warn);
  const endWatch = watching?.watchFixture(running.application, settings.fixture, terminal.say);
  const { url } = running.introduction.announcement;
  const unfound = await findable(settings.data, { url, pid: process.pid, instance: running.introduction.instance });
  const [json, quiet] = [given.flag("json"), given.flag("quiet")];
  // A program that reads the line of JSON has the address from there.
  if (!quiet) for (const warning of [...running.warnings, ...(json ? [] : unfound)]) warn(warning);
  let endLog: () => Promise<void> = async () => undefined;
  if (json) terminal.json(running.introduction.announcement);
  else if (!quiet) {
    const [{ greeting }, { showLive }] = await Promise.all([
      import("../terminal/start-banner.ts"),
      import("../terminal/live-log.ts"),
    ]);
    terminal.print(greeting(running, settings, terminal.paint));
    endLog = showLive(running.application, terminal);
  }
  await stopped;
  endWatch?.();
  await running.close();
  await endLog();
  process.exit(0);
}
