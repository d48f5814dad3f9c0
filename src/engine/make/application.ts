// Builds the application, a record of everything that the transport may call.
import { isAllowed } from "../acts/allowed.ts";
import { acts } from "../acts/index.ts";
import type { Application, PublicOperation } from "../app/application.ts";
import { createAssumptions } from "../app/assumptions.ts";
import { SignIns } from "../app/sign-ins.ts";
import { createPinnedSubscription } from "../domain/company/subscription.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import { listFixtureNames } from "../fixtures/read.ts";
import { checkAct } from "../http/act-input.ts";
import { operations } from "../operations/index.ts";
import { wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import { makeMessages } from "../webhooks/messages.ts";
import { makeSignatures } from "../webhooks/signatures.ts";
import { createTriggers } from "../webhooks/triggers.ts";
import { hashToken, readCredentialWorld } from "../world/state/credential.ts";
import type { Worlds } from "../world/state/worlds.ts";
import { findFixtures } from "./fixtures.ts";
import { makeToken } from "./random.ts";
import { createPerform } from "./states.ts";
import type { Time } from "./time.ts";
import { type Floor, getAssumed } from "./worlds.ts";

type Later = Pick<Application, "states" | "history" | "directory" | "node" | "mcp" | "record" | "lint" | "version"> &
  Partial<Pick<Application, "findObstacle">>;

export function makeApplication(floor: Floor, time: Time, dispatcher: Dispatcher, later: Later): Application {
  const { settings, worlds, activityLog, followers, log, monitor, faults, random, newId, warn } = floor;
  const { getBaseUrl, getListenUrl, opened, verdicts, controlToken, relays, runs } = floor;
  const whyUnusable = () => opened?.store.explainUnusable();
  const { change, read } = time.clocks;
  const performOn = createPerform(random);
  return {
    ...{ settings, worlds, activityLog, followers, log, monitor, random, newId, warn, getBaseUrl, getListenUrl },
    ...{ verdicts, controlToken, relays, runs, change, read },
    findObstacle() {
      const why = whyUnusable();
      return why === undefined ? undefined : { why, isStopping: false };
    },
    ...later,
    instance: random.uuid(),
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => listFixtureNames(findFixtures()),
    now: time.now,
    assumes: (world, assumption) => getAssumed(world.identity(), assumption, settings),
    findQuarantine: (world) => floor.quarantine.explain(world),
    performDueWork: (world) => time.clocks.catchUpInTurns(world),
    waitUntilDurable: (world) => opened?.store.waitUntilDurable(world),
    explainUnusable: whyUnusable,
    ...findCredentials(worlds),
    subscribe(world, { url, kinds, description }) {
      const event_types = kinds.length > 0 ? [...kinds] : [...EVENT_KINDS];
      const input = { url, event_types, state: "ENABLED", description } as const;
      const cause = { kind: "world", id: "setup" } as const;
      return change(world, cause, (tx) => createPinnedSubscription(tx, input, random.secret())).result.secret;
    },
    acts: {
      all: () => acts,
      apply: performOn,
      isAllowed: (world, name, input, record) =>
        isAllowed(name, record, {
          read: (question) => read(world, question),
          attempt: () => floor.copy(world).transact(time.now(world), (tx) => performOn(tx, name, input)),
        }),
      perform: (world, name, input, cause) => change(world, cause, (tx) => performOn(tx, name, input)),
    },
    clock: time.clocks,
    faults: {
      ...faults,
      clear(world, name) {
        const cleared = faults.clear(world, name);
        dispatcher.release(world, name);
        return cleared;
      },
    },
    assumptions: createAssumptions(change, (world, set, before) => {
      const [id, at] = [newId("wld"), time.now(world)];
      log.addWorldChange({ id, world: world.id, at, change: "assume", detail: { set, before } });
    }),
    copy: floor.copy,
    signIns: new SignIns(wallClock, makeToken),
    messages: {
      ...makeSignatures({ read, wall: wallClock }),
      ...makeMessages(
        { change, read, wake: dispatcher.wake, secret: random.secret },
        { getInFlightMs: dispatcher.getInFlightMs, isHeld: (world) => time.clocks.show(world).mode === "held" },
      ),
      ...createTriggers({
        change,
        read,
        perform: (tx, name, input) => performOn(tx, name, checkAct(name, input)),
        advance: (world, until, by) => time.clocks.advance(world, () => until, false, by),
      }),
    },
  };
}

function findCredentials(worlds: Worlds): Pick<Application, "findKey" | "findToken"> {
  return {
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
  };
}
