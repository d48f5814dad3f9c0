// The first and the last thing that a sandbox does.

import { explainRead } from "../../platform/bounded-file.ts";
import { readTrustingContext } from "../../platform/own-certificates.ts";
import type { HistoryPort, RequestsPort, TimePort, WebhooksPort, WorldsPort } from "../app/application.ts";
import { explainInvalidAssumption } from "../app/assumptions.ts";
import type { Quarantine } from "../app/quarantine.ts";
import { startDefaultWorld } from "../app/start-default-world.ts";
import { findProblems, lifeCycles } from "../domain/kernel/transitions.ts";
import { SettingError, type Settings, toExcerpt } from "../settings.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { Time } from "./time.ts";
import type { Floor, Ground } from "./worlds.ts";

export function mustBeSound(settings: Settings): void {
  const broken = lifeCycles.flatMap(findProblems);
  if (broken.length > 0) throw new Error(`The life cycles are not sound: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(settings.assume)) {
    const reason = explainInvalidAssumption(id, value);
    if (reason) throw new SettingError(reason);
  }
  assertCertificates(settings.ca);
}

/** Before the data file is opened. */
function assertCertificates(file: string | undefined): void {
  try {
    if (file !== undefined) readTrustingContext(file);
  } catch (error) {
    throw new SettingError(
      `{option ca} is ${toExcerpt(file ?? "")}, which ${explainRead(error)} Name a file with certificates in PEM.`,
    );
  }
}

const ofMcp = /^mcp-[0-9a-f]{12}$/;

type StartPorts = WorldsPort & RequestsPort & TimePort & WebhooksPort;

/** Looks at the worlds that the data file held, makes or resumes the world default, and lets time go on. Answers warnings. */
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
  // Their sessions ended with the process that they were in.
  for (const world of application.worlds.all()) if (ofMcp.test(world.id)) application.states.remove(world);
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

/** Makes or resumes the world default, and waits until it is stored. */
export async function beginStored(application: StartPorts): Promise<string[]> {
  const begun = await startDefaultWorld(application, application.settings);
  await application.waitUntilDurable("default");
  return begun;
}

/** `endAccess` writes what is known of accounts, while the store is still open. */
export function closing(
  { opened }: Pick<Ground, "opened">,
  { clocks }: Time,
  dispatcher: Dispatcher,
  endAccess?: () => Promise<void>,
) {
  return async (isComplete: boolean, answers?: Promise<void>): Promise<void> => {
    // Both at once: a clock move that is to be answered may be waiting for a receiver that never does.
    await Promise.all([dispatcher.close(), answers]);
    await clocks.close();
    await endAccess?.();
    await opened?.store.close(isComplete);
  };
}
