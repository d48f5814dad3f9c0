// Dispatches the operations of the control API. Operations that are not in the table are acts, or need accounts.

import { HttpError } from "../errors.ts";
import type { Answer } from "../exchange.ts";
import type { Step } from "../steps.ts";
import { actList, performAct } from "./acts.ts";
import { assumptions } from "./assumptions.ts";
import { books } from "./books.ts";
import { calendar } from "./calendar.ts";
import { clock } from "./clock.ts";
import { describe } from "./describe.ts";
import { faults } from "./faults.ts";
import { find } from "./find.ts";
import { findWorld, type OuterHandlers } from "./handler.ts";
import { history } from "./history.ts";
import { lint } from "./lint.ts";
import { mcp } from "./mcp.ts";
import { messages } from "./messages.ts";
import { metrics } from "./metrics.ts";
import { proof } from "./proof.ts";
import { recordings } from "./recordings.ts";
import { records } from "./records.ts";
import { relay } from "./relay.ts";
import { replay } from "./replay.ts";
import { session } from "./session.ts";
import { state } from "./state.ts";
import { verdicts } from "./verdicts.ts";
import { watching } from "./watching.ts";
import { worlds } from "./worlds.ts";

/** A test compares the names with the specification. */
export const handlers = {
  ...describe,
  ...metrics,
  ...worlds,
  ...state,
  ...clock,
  ...calendar,
  ...books,
  ...history,
  ...watching,
  ...messages,
  ...relay,
  ...faults,
  ...verdicts,
  ...lint,
  ...assumptions,
  ...records,
  ...recordings,
  ...find,
  ...session,
  ...proof,
  ...replay,
  ...mcp,
  ...actList,
};

/** Rejects operations that other handlers implement if there is a database. */
function rejectWithoutAccounts(): never {
  const why = "This sandbox has no teams: they are kept in a database.";
  throw new HttpError(409, `${why} Start it with the option \`database\`, such as postgres://user@host/name.`, {
    code: "NO_DATABASE",
  });
}

export function makeCommand(handedIn: OuterHandlers): Step {
  const byId: Readonly<Record<string, (requested: never) => Answer | Promise<Answer>>> = { ...handlers, ...handedIn };
  return (exchange, application) => {
    const { path, query } = exchange.parameters;
    const { id, operation } = exchange.route;
    const handler = byId[id] ?? (operation.path.startsWith("/_sandbox/acts/") ? performAct : rejectWithoutAccounts);
    // The request has passed the contract of this operation, so its types hold.
    return handler({
      ...{ exchange, application, path, query, body: exchange.body },
      get world() {
        return findWorld({ exchange, application });
      },
    } as never);
  };
}

export { assertOwnPage } from "./guard.ts";
export { type ControlId, defineHandlers, describeUnknownOperation, done, ok, type Requested } from "./handler.ts";
export { readCookie, readSentToken } from "./presented-credentials.ts";
export { CHALLENGE, createCookie, createSignInResponse } from "./session.ts";
