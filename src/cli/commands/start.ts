// sandbox start: serves until it is told to stop, and shows what happens.
import type { Settings } from "../../engine/settings.ts";
import { optional } from "../../platform/optional.ts";
import { findProcessStart } from "../../platform/process-alive.ts";
import type { BootResult } from "../boot.ts";
import { type Call, type Command, type Option, option } from "../command.ts";
import { recordSandbox } from "../find-sandbox.ts";
import { addPosition, configurable, readSettings, startOptions, withVariable } from "../start-settings.ts";
import { waitForStopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Tls } from "../tls.ts";
import { startTraces } from "../traces.ts";

/** docs/hosted/README.md promises ten seconds. */
const LONGEST_STOP_MS = 9500;

const watch: Option = option.flag("watch", "Reset the world when the folder of --fixture has changed and is sound.");

const log: Option = option.text(
  "log",
  "text or json",
  "`json`: instead of the lines for people, one JSON object a line for each thing that happens, without secrets.",
  { default: "text", choices: ["text", "json"] },
);

const tlsOptions: readonly Option[] = [
  option.flag("https", "Serve HTTPS, with a certificate that is made and kept in .sandbox."),
  option.text("tls-cert", "file", "Serve HTTPS with this certificate in PEM."),
  option.text("tls-key", "file", "The key of --tls-cert in PEM."),
];

export const start: Command = {
  name: "start",
  summary: "Serve until stopped, and show what happens.",
  options: [...startOptions, ...[watch, log, ...tlsOptions].map(withVariable)],
  configured: configurable,
  epilogue: "Ctrl-C ends cleanly and keeps the state; a second one ends at once.",
  run: serveUntilStopped,
};

async function serveUntilStopped({ given, terminal, environment }: Call): Promise<number> {
  const settings = readSettings(given);
  const stopped = waitForStopSignal();
  const [{ boot }, watching] = await Promise.all([
    import("../boot.ts"),
    given.flag("watch") ? import("../fixture-watch.ts") : undefined,
  ]);
  // Before the data file is opened.
  watching?.assertWatchable(settings.fixture);
  const [json, quiet] = [given.flag("json"), given.flag("quiet")];
  // A program that reads the line of JSON from stdout expects no other there.
  const log = given.text("log") === "json" ? (await import("../json-log.ts")).makeJsonLog(terminal, json) : undefined;
  const warn = (sentence: string) => (log ? log.warn(sentence) : terminal.say(`Warning: ${sentence}`));
  // Before the boot, so that the first request is traced.
  const traces = await startTraces(environment, warn);
  const { readTls } = await import("../tls.ts");
  const tls = await readTls(given, settings);
  const running = await boot(settings, warn, { tell: log?.tell, traces }, tls)
    .catch(addPosition(given))
    .catch((reason) => log?.logFailed(reason) ?? Promise.reject(reason));
  const endWatch = watching?.watchFixture(running.application, settings.fixture, log ? warn : terminal.say);
  const { announcement, instance } = running.introduction;
  // Written only now: commands must not find a sandbox that does not answer yet.
  const unfound = await recordSandbox(settings.data, {
    url: announcement.url,
    pid: process.pid,
    start: findProcessStart(process.pid),
    instance,
    ...optional({ token: settings.database === undefined ? settings.controlToken : undefined }),
  });
  // A quiet start too: what was repaired is said only once.
  for (const warning of running.warnings) warn(warning);
  // A program that reads the line of JSON has the address from there.
  if (!json && (!quiet || log)) for (const warning of unfound) warn(warning);
  if (json) terminal.json(announcement);
  log?.logStarted(running.introduction);
  const endLive = json || quiet || log ? undefined : await showLines(running, settings, terminal, tls);
  // From here on everything ends, each in at most the time of endAfter.
  const signal = await stopped;
  endWatch?.();
  log?.tell({ level: "info", event: "stopping", signal });
  endAfter(LONGEST_STOP_MS, warn);
  await running.close();
  await Promise.all([traces?.close(), endLive?.()]);
  await log?.end();
  // Connections that somebody keeps open would hold the process.
  process.exit(0);
}

/** Work that does not end must not keep a process that was asked to stop: what was answered is kept, as when it is killed. */
function endAfter(ms: number, warn: (sentence: string) => void): void {
  const end = () => {
    warn(
      `Something did not end within ${ms / 1000} seconds of the signal. The process ends now; what was answered is kept.`,
    );
    process.exit(1);
  };
  // It must not keep a process that has ended well.
  setTimeout(end, ms).unref();
}

/** Returns a function that ends it. */
async function showLines(
  running: BootResult,
  settings: Settings,
  terminal: Terminal,
  tls: Tls | undefined,
): Promise<() => Promise<void>> {
  const [{ greeting }, { showLive }] = await Promise.all([
    import("../terminal/start-banner.ts"),
    import("../terminal/live-log.ts"),
  ]);
  terminal.print(greeting(running, settings, terminal, tls));
  return showLive(running.application, terminal);
}
