// What `sandbox verdict --keep` has sent, for the console.
import type { HistoryPort, KeptVerdict, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, done, type Handlers, ok, type Requested } from "./handler.ts";

type VerdictsId = "listVerdicts" | "keepVerdict" | "getVerdict" | "deleteVerdict";

function found(requested: Requested<"getVerdict" | "deleteVerdict", HistoryPort & WorldsPort>): KeptVerdict {
  const { verdictId } = requested.path;
  const verdict = requested.application.verdicts.find(chosenWorld(requested).id, verdictId);
  if (verdict) return verdict;
  throw new HttpError(404, `There is no verdict ${verdictId.slice(0, 100)}. GET /_sandbox/verdicts lists them.`);
}

export const verdicts: Handlers<VerdictsId, HistoryPort & WorldsPort> = {
  listVerdicts(requested) {
    const list = requested.application.verdicts.list(chosenWorld(requested).id);
    // Without the checks and their evidence, which may be large.
    const items = list.map(({ id, verdict: { command, at, counts, no_verdict, exit_code } }) => ({
      ...{ id, command, at, counts, no_verdict, exit_code },
    }));
    return ok({ items });
  },
  keepVerdict: (requested) => ({
    status: 201,
    body: requested.application.verdicts.keep(chosenWorld(requested).id, requested.body),
  }),
  getVerdict: (requested) => ok(found(requested)),
  deleteVerdict(requested) {
    requested.application.verdicts.remove(chosenWorld(requested).id, found(requested).id);
    return done;
  },
};
