// Checks the log of a world and of its run with the checks of a verdict that need no run.
import type { Schemas } from "../../../contract/schemas.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { findOverrides, patchDocument } from "../in-force.ts";
import { defineHandlers, ok } from "./handler.ts";
import { showEntries } from "./watching.ts";

type Evidence = Schemas["VerdictEvidence"];

/** Adds the world to evidence from another world than the requested one. */
const locate = (evidence: Evidence, world: string | undefined, own: string): Evidence =>
  world === undefined || world === own ? evidence : { ...evidence, world };

export const lint = defineHandlers<HistoryPort & RequestsPort & WorldsPort>()({
  async lintLog({ application, world }) {
    const { log } = application;
    // Requests of a person are not those of the program.
    const entries = log.list(world.id, { kinds: ["request"], run: true }).filter(({ by_hand }) => !by_hand);
    const members = application.runs.listMembers(world.id);
    const ofRun = members.flatMap((id) => application.worlds.get(id) ?? []);
    const results = await application.lint({
      requests: showEntries(entries, "full", application) as Generator<Schemas["RequestEntry"]>,
      subscriptions: [world, ...ofRun].flatMap((each) => [...each.credentials().subscriptions.all()]),
      document: patchDocument(findOverrides(world, application)),
    });
    const worlds = new Map(entries.map((entry) => [entry.id, entry.world]));
    const items = results.map((result) => ({
      ...result,
      evidence: result.evidence.map((each) => locate(each, worlds.get(each.id), world.id)),
    }));
    return ok({ requests: entries.length, dropped: log.findDropped([world.id, ...members]), items });
  },
});
