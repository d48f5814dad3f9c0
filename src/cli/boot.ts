// Starts a sandbox that listens on a port, and turns its errors into failures of a command. No other file of the command line runs a sandbox.
import { existsSync } from "node:fs";
import { explainInvalidAssumption } from "../engine/app/index.ts";
import { FixtureError, findFixtureFolder } from "../engine/fixtures/index.ts";
import { assertFreePort, createServer, listen, PortError, type ServerCertificate } from "../engine/http/index.ts";
import { isStoreError } from "../engine/log/index.ts";
import { SettingError, type Settings, toOption } from "../engine/settings.ts";
import { isBadPort } from "../platform/bad-port.ts";
import type { NameOption } from "../platform/option-names.ts";
import { findFixtures, makeSandbox, preparePrism, type Sandbox, type Watchers } from "../sandbox.ts";
import { Failure, Misuse, toMessage } from "./failure.ts";
import { type Introduction, introduce } from "./terminal/introduction.ts";

export interface BootResult {
  introduction: Introduction;
  application: Sandbox["application"];
  warnings: readonly string[];
  /** True if the data file existed before the start. */
  resumed: boolean;
  close(): Promise<void>;
}

/** The delay lets the command line print the address before Prism is loaded. */
const PRISM_DELAY_MS = 100;

/**
 * Starts a sandbox. `warn` receives its warnings, and `watchers` receive all events. Rejects with a Misuse or a Failure after closing
 * everything that was opened.
 */
export async function boot(
  settings: Settings,
  warn?: (sentence: string) => void,
  watchers?: Watchers,
  tls?: ServerCertificate,
): Promise<BootResult> {
  // The file must be looked up before makeSandbox(), which creates it.
  const resumed = settings.data !== undefined && !settings.fresh && existsSync(settings.data);
  await translateErrors(() => assertFreePort(settings));
  // An unknown fixture is rejected before the data file is opened, which creates the file.
  await translateErrors(async () => findFixtureFolder(settings.fixture, findFixtures()));
  assertAssumable(settings.assume);
  const sandbox = await translateErrors(() => makeSandbox(settings, warn, watchers, nameOption));
  // If the port is in use, closing the sandbox unlocks the data file.
  const server = createServer(sandbox.router, undefined, tls);
  const serving = await translateErrors(() => listen(server, settings.port, settings.host)).catch(async (error) => {
    await sandbox.close();
    throw error;
  });
  // Port 0 becomes a real port only when the server listens.
  await sandbox.reachedAt(serving.url);
  const introduction = await introduce(sandbox.application, serving.url);
  setTimeout(preparePrism, PRISM_DELAY_MS).unref();
  return {
    introduction,
    application: sandbox.application,
    warnings: [...warnAboutPort(settings, serving.url), ...sandbox.warnings],
    resumed,
    async close() {
      // A node of a shared sandbox hands over its worlds while it can still respond.
      await sandbox.leave();
      await translateErrors(() => sandbox.close(serving.close()));
    },
  };
}

/** A blocked port is only a warning: clients other than browsers can use it, and a proxy has a port of its own. */
function warnAboutPort({ publicUrl }: Settings, url: string): string[] {
  const { port } = new URL(url);
  if (publicUrl !== undefined || !isBadPort(Number(port))) return [];
  return [
    `Browsers and fetch never send requests to port ${port}, which the Fetch standard blocks. Choose another --port.`,
  ];
}

const nameOption: NameOption = (property) => `--${toOption(property)}`;

/** Turns errors of the engine into a Misuse (exit code 2) or a Failure (exit code 1). */
async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingError) throw new Misuse(error.format(nameOption));
    if (isStoreError(error)) throw new Failure(error.format(nameOption));
    if (error instanceof FixtureError) throw new Misuse(toMessage(error), "fixture");
    if (error instanceof PortError) throw new Failure(toMessage(error));
    // Any other error is a bug and is reported as an internal error.
    throw error;
  }
}

function assertAssumable(assume: Settings["assume"]): void {
  const [reason] = Object.entries(assume).flatMap(([id, value]) => explainInvalidAssumption(id, value) ?? []);
  if (reason !== undefined) throw new Misuse(reason, "assume");
}
