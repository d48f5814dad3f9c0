// Makes a sandbox and lets it listen; every failure becomes an exit code. The only file of the command line that runs a sandbox.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { explainInvalidAssumption } from "../engine/app/index.ts";
import { FixtureError, fixtureNames } from "../engine/fixtures/index.ts";
import { assertFreePort, createServer, listen, PortError, type ServerCertificate } from "../engine/http/index.ts";
import { isStoreError } from "../engine/log/index.ts";
import { SettingError, type Settings, toExcerpt, toOption } from "../engine/settings.ts";
import { isBadPort } from "../platform/bad-port.ts";
import { findNearest } from "../platform/nearest.ts";
import type { NameOption } from "../platform/option-names.ts";
import { findFixtures, makeSandbox, preparePrism, type Sandbox, type Watchers } from "../sandbox.ts";
import { Failure, Misuse, toMessage } from "./failure.ts";
import { type Introduction, introduced } from "./terminal/connection-info.ts";

export interface BootResult {
  introduction: Introduction;
  application: Sandbox["application"];
  warnings: readonly string[];
  /** The data file existed before the start. */
  resumed: boolean;
  close(): Promise<void>;
}

/** After the server listens: the command line prints the address first. */
const PRISM_DELAY_MS = 100;

/**
 * `warn` is called with the warnings of the running sandbox, `watchers` with all that happens in it. Rejects with a
 * Misuse or a Failure; then nothing stays open.
 */
export async function boot(
  settings: Settings,
  warn?: (sentence: string) => void,
  watchers?: Watchers,
  tls?: ServerCertificate,
): Promise<BootResult> {
  // Looked at first: opening the store makes the file.
  const resumed = settings.data !== undefined && !settings.fresh && existsSync(settings.data);
  await translateErrors(() => assertFreePort(settings));
  const sandbox = await open(settings, warn, watchers);
  // A port that is taken must not leave the data file locked.
  const server = createServer(sandbox.router, undefined, tls);
  const serving = await translateErrors(() => listen(server, settings.port, settings.host)).catch(async (error) => {
    await sandbox.close();
    throw error;
  });
  // Only now is the port known, where it was 0.
  await sandbox.reachedAt(serving.url);
  const introduction = await introduced(sandbox.application, serving.url);
  setTimeout(preparePrism, PRISM_DELAY_MS).unref();
  return {
    introduction,
    application: sandbox.application,
    warnings: [...warnAboutPort(settings, serving.url), ...sandbox.warnings],
    resumed,
    async close() {
      // A node of a shared sandbox gives its worlds up first, while it still answers.
      await sandbox.leave();
      await sandbox.close(serving.close());
    },
  };
}

/** A client of another kind reaches the port, so the start goes on. Behind a proxy clients use the port of the proxy. */
function warnAboutPort({ publicUrl }: Settings, url: string): string[] {
  const { port } = new URL(url);
  if (publicUrl !== undefined || !isBadPort(Number(port))) return [];
  return [
    `Browsers and fetch never send requests to port ${port}, which the Fetch standard blocks. Choose another --port.`,
  ];
}

export const nameOption: NameOption = (property) =>
  property === "orMemory" ? ", or --memory" : `--${toOption(property)}`;

/** Without listening. For work on a data file alone. */
export async function open(
  settings: Settings,
  warn?: (sentence: string) => void,
  watchers?: Watchers,
  name = nameOption,
): Promise<Sandbox> {
  assertFixtureExists(settings.fixture);
  assertAssumable(settings.assume);
  const sandbox = await translateErrors(() => makeSandbox(settings, warn, watchers, name), name);
  return { ...sandbox, close: (answers) => translateErrors(() => sandbox.close(answers), name) };
}

/** Errors of the engine as those of a command: what was typed wrongly is exit 2, what failed is exit 1. */
async function translateErrors<T>(work: () => Promise<T>, name = nameOption): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingError) throw new Misuse(error.format(name));
    if (isStoreError(error)) throw new Failure(error.format(name));
    if (error instanceof FixtureError) throw new Misuse(toMessage(error));
    if (error instanceof PortError) throw new Failure(toMessage(error));
    // Anything else is a bug, and is reported as one.
    throw error;
  }
}

/** Before the data file is opened, which --fresh would replace. */
function assertFixtureExists(fixture: string): void {
  const names = fixtureNames(findFixtures());
  if (names.includes(fixture) || existsSync(join(fixture, "world.json"))) return;
  const meant = findNearest(fixture, names);
  const advice = meant ? `Did you mean ${meant}?` : `Name a folder with a world.json, or one of ${names.join(", ")}.`;
  throw new Misuse(`There is no fixture ${toExcerpt(fixture)}. ${advice}`, "fixture");
}

function assertAssumable(assume: Settings["assume"]): void {
  const [reason] = Object.entries(assume).flatMap(([id, value]) => explainInvalidAssumption(id, value) ?? []);
  if (reason !== undefined) throw new Misuse(reason, "assume");
}
