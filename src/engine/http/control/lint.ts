// What the log of a world and of its run shows of a program so far, by the checks of a verdict that need no run.
import type { Schemas } from "../../../contract/schemas.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { documentInForce, findOverrides } from "../in-force.ts";
import { handlersWith, ok } from "./handler.ts";
import { showEntries } from "./watching.ts";

type Evidence = Schemas["VerdictEvidence"];

/** Says in which world a piece of evidence is, where that is not the one that was asked about. */
const locate = (evidence: Evidence, world: string | undefined, own: string): Evidence =>
  world === undefined || world === own ? evidence : { ...evidence, world };

export const lint = handlersWith<HistoryPort & RequestsPort & WorldsPort>()({
  async lintLog({ application, world }) {
    const { log } = application;
    // What a person typed or sent again is not the program's.
    const entries = log.list(world.id, { kinds: ["request"], run: true }).filter(({ by_hand }) => !by_hand);
    const members = application.runs.listMembers(world.id);
    const ofRun = members.flatMap((id) => application.worlds.get(id) ?? []);
    const results = await application.lint({
      requests: showEntries(entries, "full", application) as Generator<Schemas["RequestEntry"]>,
      subscriptions: [world, ...ofRun].flatMap((each) => [...each.credentials().subscriptions.all()]),
      document: documentInForce(findOverrides(world, application)),
    });
    const worlds = new Map(entries.map((entry) => [entry.id, entry.world]));
    const items = results.map((result) => ({
      ...result,
      evidence: result.evidence.map((each) => locate(each, worlds.get(each.id), world.id)),
    }));
    return ok({ requests: entries.length, dropped: log.findDropped([world.id, ...members]), items });
  },
});
