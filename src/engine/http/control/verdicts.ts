// Keeps and shows the verdicts that `sandbox check --keep` has sent, for the console.
import type { HistoryPort, KeptVerdict, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { defineHandlers, done, ok, type Requested } from "./handler.ts";

function findVerdict(requested: Requested<"getVerdict" | "deleteVerdict", HistoryPort & WorldsPort>): KeptVerdict {
  const { verdictId } = requested.path;
  const verdict = requested.application.verdicts.list(requested.world.id).find(({ id }) => id === verdictId);
  if (verdict) return verdict;
  throw new HttpError(404, `There is no verdict ${verdictId.slice(0, 100)}.`, { list: "GET /_sandbox/verdicts" });
}

export const verdicts = defineHandlers<HistoryPort & WorldsPort>()({
  listVerdicts({ application, world }) {
    const list = application.verdicts.list(world.id);
    // The checks and their evidence are omitted, because they may be large.
    const items = list.map(({ id, verdict: { command, at, counts, no_verdict, exit_code } }) => ({
      ...{ id, command, at, counts, no_verdict, exit_code },
    }));
    return ok({ items });
  },
  keepVerdict: ({ application, world, body }) => ({
    status: 201,
    body: application.verdicts.keep(world.id, body),
  }),
  getVerdict: (requested) => ok(findVerdict(requested)),
  deleteVerdict(requested) {
    requested.application.verdicts.remove(requested.world.id, findVerdict(requested).id);
    return done;
  },
});
