// sandbox start: starts a sandbox and shows its log until it is stopped.
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

/** Slightly less than the ten seconds that docs/hosted/README.md promises. */
const MAX_STOP_MS = 9500;

const watch: Option = option.flag("watch", "Reset the world when the folder of --fixture changes and is valid.");

const log: Option = option.text(
  "log",
  "text or json",
  "Format of the log. `json` prints one JSON object per line, without secrets.",
  { default: "text", choices: ["text", "json"] },
);

const tlsOptions: readonly Option[] = [
  option.flag("https", "Serve HTTPS with a certificate that is created and kept in .sandbox."),
  option.text("tls-cert", "file", "Serve HTTPS with this certificate in PEM."),
  option.text("tls-key", "file", "The key of --tls-cert in PEM."),
];

export const start: Command = {
  name: "start",
  summary: "Start a sandbox and show its log until it is stopped.",
  options: [...startOptions, ...[watch, log, ...tlsOptions].map(withVariable)],
  configured: configurable,
  epilogue: "Ctrl-C stops the sandbox and keeps the state. A second Ctrl-C stops it immediately.",
  run: serveUntilStopped,
};

async function serveUntilStopped({ given, terminal, environment }: Call): Promise<number> {
  const settings = readSettings(given);
  const stopped = waitForStopSignal();
  const [{ boot }, watching] = await Promise.all([
    import("../boot.ts"),
    given.flag("watch") ? import("../fixture-watch.ts") : undefined,
  ]);
  // The fixture is checked before the data file is opened.
  watching?.assertWatchable(settings.fixture);
  const [json, quiet] = [given.flag("json"), given.flag("quiet")];
  // stdout has only the announcement if --json is given.
  const log = given.text("log") === "json" ? (await import("../json-log.ts")).makeJsonLog(terminal, json) : undefined;
  const warn = (sentence: string) => (log ? log.warn(sentence) : terminal.say(`Warning: ${sentence}`));
  // Tracing starts before the sandbox, so that the first request is traced.
  const traces = await startTraces(environment, warn);
  const { readTls } = await import("../tls.ts");
  const tls = await readTls(given, settings);
  const running = await boot(settings, warn, { tell: log?.tell, traces }, tls)
    .catch(addPosition(given))
    .catch((reason) => log?.logFailed(reason) ?? Promise.reject(reason));
  const endWatch = watching?.watchFixture(running.application, settings.fixture, log ? warn : terminal.say);
  const { announcement, instance } = running.introduction;
  // The file is written only now, so that commands don't find a sandbox that does not respond yet.
  const unfound = await recordSandbox(settings.data, {
    url: announcement.url,
    pid: process.pid,
    start: findProcessStart(process.pid),
    instance,
    ...optional({ token: settings.database === undefined ? settings.controlToken : undefined }),
  });
  // Warnings about repairs are printed even with --quiet, because they occur only once.
  for (const warning of running.warnings) warn(warning);
  // The announcement of --json contains the address, so the program need not search for it.
  if (!json && (!quiet || log)) for (const warning of unfound) warn(warning);
  if (json) terminal.json(announcement);
  log?.logStarted(running.introduction);
  const endLive = json || quiet || log ? undefined : await showLines(running, settings, terminal, tls);
  const signal = await stopped;
  endWatch?.();
  log?.tell({ level: "info", event: "stopping", signal });
  exitAfter(MAX_STOP_MS, warn);
  await running.close();
  await Promise.all([traces?.close(), endLive?.()]);
  await log?.end();
  // Open connections would keep the process running.
  process.exit(0);
}

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const TRACE_PACKAGES =
  "@opentelemetry/api @opentelemetry/sdk-trace-node @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http";

/** Returns undefined without a collector. A missing package is only a warning, because the sandbox works without traces. */
async function startTraces(environment: Call["environment"], warn: (sentence: string) => void) {
  const named = ENDPOINTS.find((name) => environment[name]);
  if (named === undefined || environment.OTEL_SDK_DISABLED === "true") return undefined;
  const traces = await (await import("../../sandbox.ts")).openTraces();
  if (!traces)
    warn(
      `${named} is set, but packages for it are missing: npm install ${TRACE_PACKAGES}. The sandbox starts without traces.`,
    );
  return traces;
}

/** Exits after `ms` milliseconds if the sandbox has not stopped by itself. Completed requests are kept, as after a crash. */
function exitAfter(ms: number, warn: (sentence: string) => void): void {
  const end = () => {
    warn(`The sandbox did not stop within ${ms / 1000} seconds. The process exits now; completed requests are kept.`);
    process.exit(1);
  };
  // The timer must not keep the process running after a normal stop.
  setTimeout(end, ms).unref();
}

/** Prints the banner and the log. Returns a function that stops printing. */
async function showLines(
  running: BootResult,
  settings: Settings,
  terminal: Terminal,
  tls: Tls | undefined,
): Promise<() => Promise<void>> {
  const [{ formatBanner }, { showLive }] = await Promise.all([
    import("../terminal/introduction.ts"),
    import("../terminal/live-log.ts"),
  ]);
  terminal.print(formatBanner(running, settings, terminal, tls));
  return showLive(running.application, terminal);
}
