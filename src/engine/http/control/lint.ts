// What the log of a world and of its run shows of a program so far, by the checks of a verdict that need no run.
import type { Schemas } from "../../../contract/schemas.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { documentInForce, inForce } from "../in-force.ts";
import { handlersWith, ok } from "./handler.ts";
import { views } from "./watching.ts";

export const lint = handlersWith<HistoryPort & RequestsPort & WorldsPort>()({
  async lintLog({ application, world }) {
    const { log } = application;
    // What a person typed or sent again is not the program's.
    const entries = log.list(world.id, { kinds: ["request"], run: true }).filter(({ by_hand }) => !by_hand);
    const ofRun = application.runs.membersOf(world.id).flatMap((id) => application.worlds.get(id) ?? []);
    const items = await application.lint({
      requests: views(entries, "full", application) as Generator<Schemas["RequestEntry"]>,
      subscriptions: [world, ...ofRun].flatMap((each) => [...each.credentials().subscriptions.all()]),
      document: documentInForce(inForce(world, application)),
    });
    return ok({ requests: entries.length, dropped: log.dropped(world.id, ["request"], true), items });
  },
});
