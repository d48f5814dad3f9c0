// Creates the application, a record of everything that the transport may call. Starts and closes a sandbox.

import { explainRead } from "../../platform/bounded-file.ts";
import { readTrustingContext } from "../../platform/own-certificates.ts";
import { isAllowed } from "../acts/allowed.ts";
import { acts } from "../acts/index.ts";
import type { Application, PublicOperation } from "../app/application.ts";
import { createAssumptions, explainInvalidAssumption } from "../app/assumptions.ts";
import { SignIns } from "../app/sign-ins.ts";
import { startDefaultWorld } from "../app/start-default-world.ts";
import { createPinnedSubscription } from "../domain/company/subscription.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import { findCycleProblems, lifeCycles } from "../domain/kernel/transitions.ts";
import { listFixtureNames } from "../fixtures/read.ts";
import { checkAct } from "../http/act-input.ts";
import { operations } from "../operations/index.ts";
import { SettingError, type Settings, toExcerpt } from "../settings.ts";
import { wallClock } from "../time/clock.ts";
import { makeMessages } from "../webhooks/messages.ts";
import { makeSignatures } from "../webhooks/signatures.ts";
import { createTriggers } from "../webhooks/triggers.ts";
import { hashToken, readCredentialWorld } from "../world/state/credential.ts";
import type { Engine } from "./engine.ts";
import { makeToken } from "./random.ts";
import { findFixtures, getAssumed } from "./worlds.ts";

/** The parts of an application that other modules implement are added by the composition root. */
type OwnApplication = Omit<Application, "directory" | "node" | "findObstacle" | "mcp" | "record" | "lint" | "version">;

/** Creates the application from all parts of the engine. */
export function makeApplication(engine: Engine): OwnApplication {
  const { settings, faults, random, opened, worlds, dispatcher, clocks, states } = engine;
  const { change, read } = clocks;
  return {
    ...engine,
    change,
    read,
    now: clocks.now,
    clock: clocks,
    instance: random.uuid(),
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => listFixtureNames(findFixtures()),
    assumes: (world, assumption) => getAssumed(world.identity(), assumption, settings),
    findQuarantine: (world) => engine.quarantine.explain(world),
    performDueWork: (world) => clocks.catchUpInTurns(world),
    waitUntilDurable: (world) => opened?.store.waitUntilDurable(world),
    findKey(id) {
      const world = worlds.get(readCredentialWorld(id));
      const key = world?.credentials().keys.get(id);
      return world && key && { world, key };
    },
    findToken(sent) {
      const world = worlds.get(readCredentialWorld(sent));
      const token = world?.credentials().tokens.get(hashToken(sent));
      return world && token && { world, token };
    },
    subscribe(world, { url, kinds, description }) {
      const event_types = kinds.length > 0 ? [...kinds] : [...EVENT_KINDS];
      const input = { url, event_types, state: "ENABLED", description } as const;
      const cause = { kind: "world", id: "setup" } as const;
      return change(world, cause, (tx) => createPinnedSubscription(tx, input, random.secret())).result.secret;
    },
    acts: createActs(engine),
    faults: {
      ...faults,
      clear(world, name) {
        const cleared = faults.clear(world, name);
        dispatcher.release(world, name);
        return cleared;
      },
    },
    assumptions: createAssumptions(change, (...noted) => states.note(...noted)),
    signIns: new SignIns(wallClock, makeToken),
    messages: createMessages(engine),
  };
}

function createActs({ copy, clocks: { change, read, now }, perform }: Engine): Application["acts"] {
  return {
    all: () => acts,
    apply: perform,
    isAllowed: (world, name, input, record) =>
      isAllowed(name, record, {
        read: (question) => read(world, question),
        attempt: () => copy(world).transact(now(world), (tx) => perform(tx, name, input)),
      }),
    perform: (world, name, input, cause) => change(world, cause, (tx) => perform(tx, name, input)),
  };
}

function createMessages({ random, dispatcher, clocks, perform }: Engine): Application["messages"] {
  const { change, read } = clocks;
  return {
    ...makeSignatures({ read, wall: wallClock }),
    ...makeMessages(
      { change, read, wake: dispatcher.wake, secret: random.secret },
      { getInFlightMs: dispatcher.getInFlightMs, isHeld: (world) => clocks.show(world).mode === "held" },
    ),
    ...createTriggers({
      change,
      read,
      perform: (tx, name, input) => perform(tx, name, checkAct(name, input)),
      advance: (world, until, by) => clocks.set(world, { to: () => until }, by),
    }),
  };
}

/** Checks what can be checked before the data file is opened. */
export function assertValidSettings({ assume, ca }: Settings): void {
  const broken = lifeCycles.flatMap(findCycleProblems);
  if (broken.length > 0) throw new Error(`The life cycles are invalid: ${broken.join("; ")}`);
  for (const [id, value] of Object.entries(assume)) {
    const reason = explainInvalidAssumption(id, value);
    if (reason) throw new SettingError(reason);
  }
  try {
    if (ca !== undefined) readTrustingContext(ca);
  } catch (error) {
    throw new SettingError(
      `{option ca} is ${toExcerpt(ca ?? "")}, which ${explainRead(error)} Use a file with certificates in PEM.`,
    );
  }
}

const MCP_WORLD = /^mcp-[0-9a-f]{12}$/;

/** Checks the worlds of the data file, creates or resumes the default world, and starts the clocks. Returns warnings. */
export async function startEngine(engine: Engine, application: Application): Promise<string[]> {
  const { quarantine, warnOfSize, beginPast, log, clocks, dispatcher } = engine;
  // MCP sessions ended with their process, so their worlds are removed.
  for (const world of application.worlds.all()) if (MCP_WORLD.test(world.id)) application.states.remove(world);
  const broken = quarantine.examine(application.worlds.all(), engine.settings.data ?? "memory");
  for (const world of application.worlds.all()) if (!quarantine.explain(world)) beginPast(world, "start");
  log.addUnfinished(new Set(application.worlds.all().map(({ id }) => id)));
  const begun = await startDefaultWorld(application, application.settings);
  for (const world of application.worlds.all()) {
    warnOfSize(world);
    dispatcher.wake(world);
  }
  clocks.tick();
  return [...broken, ...begun];
}

/** Creates or resumes the default world, and waits until it is stored. */
export async function startStoredWorld(application: Application): Promise<string[]> {
  const begun = await startDefaultWorld(application, application.settings);
  await application.waitUntilDurable("default");
  return begun;
}

/**
 * Returns the function that closes the engine. `endAccess` writes what is known of accounts while the store is still
 * open.
 */
export function createClose({ opened, clocks, dispatcher }: Engine, endAccess?: () => Promise<void>) {
  return async (isComplete: boolean, answers?: Promise<void>): Promise<void> => {
    // Both end at the same time, because a clock move in progress may wait for a receiver that never responds.
    await Promise.all([dispatcher.close(), answers]);
    await clocks.close();
    await endAccess?.();
    await opened?.store.close(isComplete);
  };
}
