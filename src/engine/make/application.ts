// All that the transport may call, as one record.
import { isAllowed } from "../acts/allowed.ts";
import { acts } from "../acts/index.ts";
import type { Application, PublicOperation } from "../app/application.ts";
import { dueList } from "../app/due-list.ts";
import { collectionCounts, recordPage, recordView } from "../app/records.ts";
import { assumptionsOf } from "../app/register.ts";
import { makeSignIns } from "../app/sign-ins.ts";
import { makeSubscribe } from "../app/subscribe.ts";
import { TrialBalances } from "../app/trial-balance.ts";
import { fixtureNames } from "../fixtures/read.ts";
import { draftWorldChange } from "../log/drafts.ts";
import { operations } from "../operations/index.ts";
import { wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import { makeMessages } from "../webhooks/messages.ts";
import { makeSignatures } from "../webhooks/signature/index.ts";
import { makeTrigger, trigger } from "../webhooks/trigger.ts";
import { hashOf, worldOfCredential } from "../world/state/credential.ts";
import { makeWorld } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import { fixturesFolder } from "./fixtures.ts";
import { newToken } from "./random.ts";
import { performing } from "./states.ts";
import type { Time } from "./time.ts";
import { assumedBy, type Floor } from "./worlds.ts";

type Later = Pick<Application, "states" | "history" | "directory" | "node" | "mcp" | "record" | "lint" | "version"> &
  Partial<Pick<Application, "findObstacle">>;

export function makeApplication(floor: Floor, time: Time, dispatcher: Dispatcher, later: Later): Application {
  const { settings, worlds, activityLog, followers, log, monitor, faults, random, newId, warn, base, own } = floor;
  const { opened, verdicts, controlToken, relays, runs } = floor;
  const whyUnusable = () => opened?.store.whyUnusable();
  const { change, read } = time.changes;
  const performOn = performing(random);
  const balances = new TrialBalances(floor.hooksOf);
  return {
    ...{ settings, worlds, activityLog, followers, log, monitor, random, newId, warn, base, own },
    ...{ verdicts, controlToken, relays, runs, change, read },
    findObstacle() {
      const why = whyUnusable();
      return why === undefined ? undefined : { why, isStopping: false };
    },
    ...later,
    instance: random.uuid(),
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => fixtureNames(fixturesFolder()),
    now: time.now,
    assumes: (world, assumption) => assumedBy(world.identity(), assumption, settings),
    whyQuarantined: floor.quarantine.why,
    due: time.due.inTurns,
    durable: (world) => opened?.store.durable(world),
    whyUnusable,
    ...credentialsIn(worlds),
    subscribe: makeSubscribe(change, random.secret),
    acts: {
      all: () => acts,
      work: performOn,
      isAllowed: (world, name, input, record) =>
        isAllowed(name, record, {
          read: (question) => read(world, question),
          attempt: () => {
            // A view: an index that is missing is built in the world, where the next attempt finds it.
            const copy = makeWorld(world.id, { ...floor.hooksOf(world.id), append: () => undefined }, world.copy());
            return copy.transact(time.now(world), (tx) => performOn(tx, name, input));
          },
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
    assumptions: assumptionsOf(change, (world, set, before) => {
      const [id, at] = [newId("wld"), time.now(world)];
      log.add(...draftWorldChange({ id, world: world.id, at, change: "assume", detail: { set, before } }));
    }),
    records: {
      counts: (world) => read(world, collectionCounts),
      page: (world, collection, wanted) => read(world, (tx) => recordPage(tx, collection, wanted)),
      find: (world, collection, id) => read(world, (tx) => recordView(tx, collection, id)),
      due: (world, wanted) => read(world, (tx) => dueList(tx, wanted)),
      trialBalance: (world, span) => read(world, (tx) => balances.read(world, tx, span(tx))),
    },
    signIns: makeSignIns({ wall: wallClock, newId: newToken }),
    messages: {
      ...makeSignatures({ read, wall: wallClock }),
      ...makeMessages(
        { change, read, nudge: dispatcher.nudge, secret: random.secret },
        { inFlightMs: dispatcher.inFlightMs, isHeld: (world) => time.clocks.show(world).mode === "held" },
      ),
      trigger: makeTrigger({
        change,
        read,
        advance: (world, until, by) => time.clocks.advance(world, () => until, false, by),
      }),
      work: trigger,
    },
  };
}

function credentialsIn(worlds: Worlds): Pick<Application, "keyOf" | "tokenOf"> {
  return {
    keyOf(id) {
      const world = worlds.get(worldOfCredential(id));
      const key = world?.credentials().keys.get(id);
      return world && key && { world, key };
    },
    tokenOf(sent) {
      const world = worlds.get(worldOfCredential(sent));
      const token = world?.credentials().tokens.get(hashOf(sent));
      return world && token && { world, token };
    },
  };
}
