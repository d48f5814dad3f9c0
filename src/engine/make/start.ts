// Starts and closes a sandbox.

import { explainRead } from "../../platform/bounded-file.ts";
import { readTrustingContext } from "../../platform/own-certificates.ts";
import type { HistoryPort, RequestsPort, TimePort, WebhooksPort, WorldsPort } from "../app/application.ts";
import { explainInvalidAssumption } from "../app/assumptions.ts";
import type { Quarantine } from "../app/quarantine.ts";
import { startDefaultWorld } from "../app/start-default-world.ts";
import { findCycleProblems, lifeCycles } from "../domain/kernel/transitions.ts";
import { SettingError, type Settings, toExcerpt } from "../settings.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { Time } from "./time.ts";
import type { Floor, Ground } from "./worlds.ts";

export function mustBeSound(settings: Settings): void {
  const broken = lifeCycles.flatMap(findCycleProblems);
  if (broken.length > 0) throw new Error(`The life cycles are invalid: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(settings.assume)) {
    const reason = explainInvalidAssumption(id, value);
    if (reason) throw new SettingError(reason);
  }
  assertCertificates(settings.ca);
}

/** Checks the certificates before the data file is opened. */
function assertCertificates(file: string | undefined): void {
  try {
    if (file !== undefined) readTrustingContext(file);
  } catch (error) {
    throw new SettingError(
      `{option ca} is ${toExcerpt(file ?? "")}, which ${explainRead(error)} Use a file with certificates in PEM.`,
    );
  }
}

const MCP_WORLD = /^mcp-[0-9a-f]{12}$/;

type StartPorts = WorldsPort & RequestsPort & TimePort & WebhooksPort;

/** Checks the worlds of the data file, creates or resumes the default world, and starts the clocks. Returns warnings. */
export async function start(
  application: StartPorts & HistoryPort,
  {
    quarantine,
    warnOfSize,
    beginPast,
    log,
  }: Pick<Floor, "warnOfSize" | "beginPast" | "log"> & { quarantine: Quarantine },
  time: Time,
  dispatcher: Dispatcher,
): Promise<string[]> {
  // MCP sessions ended with their process, so their worlds are removed.
  for (const world of application.worlds.all()) if (MCP_WORLD.test(world.id)) application.states.remove(world);
  const broken = quarantine.inspect(application.worlds.all());
  for (const world of application.worlds.all()) if (!quarantine.explain(world)) beginPast(world, "start");
  log.addUnfinished(new Set(application.worlds.all().map(({ id }) => id)));
  const begun = await startDefaultWorld(application, application.settings);
  for (const world of application.worlds.all()) {
    warnOfSize(world);
    dispatcher.wake(world);
  }
  time.clocks.tick();
  return [...broken, ...begun];
}

/** Creates or resumes the default world, and waits until it is stored. */
export async function beginStored(application: StartPorts): Promise<string[]> {
  const begun = await startDefaultWorld(application, application.settings);
  await application.waitUntilDurable("default");
  return begun;
}

/** `endAccess` writes what is known of accounts while the store is still open. */
export function closing(
  { opened }: Pick<Ground, "opened">,
  { clocks }: Time,
  dispatcher: Dispatcher,
  endAccess?: () => Promise<void>,
) {
  return async (isComplete: boolean, answers?: Promise<void>): Promise<void> => {
    // Both end at the same time, because a clock move in progress may wait for a receiver that never responds.
    await Promise.all([dispatcher.close(), answers]);
    await clocks.close();
    await endAccess?.();
    await opened?.store.close(isComplete);
  };
}
