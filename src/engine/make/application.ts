// All that the transport may call, as one record.
import { acts } from "../acts/index.ts";
import type { Application, PublicOperation } from "../app/application.ts";
import { dueList } from "../app/due-list.ts";
import { worldEntry } from "../app/log-entries.ts";
import { collectionCounts, recordOf, recordPage } from "../app/records.ts";
import { assumptionsOf } from "../app/register.ts";
import { makeSignIns } from "../app/sign-ins.ts";
import { makeSubscribe } from "../app/subscribe.ts";
import { trialBalanceOf } from "../app/trial-balance.ts";
import { fixtureNames } from "../fixtures/read.ts";
import { operations } from "../operations/index.ts";
import { wallClock } from "../time/clock.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import { makeMessages } from "../webhooks/messages.ts";
import { makeSignatures } from "../webhooks/signature/index.ts";
import { makeTrigger, trigger } from "../webhooks/trigger.ts";
import { hashOf, worldOfCredential } from "../world/state/credential.ts";
import type { Worlds } from "../world/state/worlds.ts";
import { fixturesFolder } from "./fixtures.ts";
import { newToken } from "./random.ts";
import { performing } from "./states.ts";
import type { Time } from "./time.ts";
import { assumedBy, type Floor } from "./worlds.ts";

export function makeApplication(
  {
    settings,
    opened,
    worlds,
    hooksOf,
    aside,
    activity,
    log,
    monitor,
    faults,
    verdicts,
    warn,
    own,
    base,
    newId,
    teams,
    controlToken,
    random,
  }: Floor,
  time: Time,
  dispatcher: Dispatcher,
  { states, history, hosted, mcp, version }: Pick<Application, "states" | "history" | "hosted" | "mcp" | "version">,
): Application {
  const { change, look } = time.changes;
  const performOn = performing(random);
  return {
    ...{
      settings,
      worlds,
      activity,
      log,
      monitor,
      faults,
      states,
      history,
      change,
      look,
      random,
      newId,
      warn,
      base,
      own,
    },
    ...{ verdicts, teams, controlToken },
    version,
    instance: random.uuid(),
    mcp,
    operations: new Map((operations as readonly PublicOperation[]).map((operation) => [operation.id, operation])),
    fixtures: () => fixtureNames(fixturesFolder()),
    now: time.now,
    assumes: (world, assumption) => assumedBy(world.identity(), assumption, settings),
    aside: aside.why,
    due: time.due.inTurns,
    committed: (world) => opened?.store.settled(world),
    isUsable: () => !opened?.shared || (opened.shared.store.isUsable && !hosted?.isLeaving),
    hosted,
    ...credentialsIn(worlds),
    subscribe: makeSubscribe(change, random.secret),
    acts: {
      all: () => acts,
      work: performOn,
      perform: (world, name, input, cause) => change(world, cause, (tx) => performOn(tx, name, input)),
    },
    clock: time.clocks,
    assumptions: assumptionsOf(change, (world, set, before) =>
      log.add(
        worldEntry({
          id: newId("wld"),
          world: world.id,
          at: time.now(world),
          change: "assume",
          detail: { set, before },
        }),
      ),
    ),
    records: {
      counts: (world) => look(world, collectionCounts),
      page: (world, collection, wanted) => look(world, (tx) => recordPage(tx, collection, wanted)),
      find: (world, collection, id) => look(world, (tx) => recordOf(tx, collection, id)),
      due: (world, wanted) => look(world, (tx) => dueList(tx, wanted)),
      trialBalance: (world, span) => look(world, (tx) => trialBalanceOf(world, tx, span(tx), hooksOf(world.id))),
    },
    signIns: makeSignIns({ wall: wallClock, newId: newToken }),
    messages: {
      ...makeSignatures({ look, wall: wallClock }),
      ...makeMessages({ change, look, nudge: dispatcher.nudge, secret: random.secret }),
      trigger: makeTrigger({
        change,
        look,
        advance: (world, until, by) => time.clocks.advance(world, until, false, by),
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
