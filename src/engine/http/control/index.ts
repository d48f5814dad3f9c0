// Dispatches the operations of the control API. Operations that are not in the table are acts, or need accounts.

import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Routed } from "../exchange.ts";
import { actList, performAct } from "./acts.ts";
import { books } from "./books.ts";
import { clock } from "./clock.ts";
import { describe } from "./describe.ts";
import { faults } from "./faults.ts";
import { session } from "./guard.ts";
import { findWorld, type OuterHandlers } from "./handler.ts";
import { messages } from "./messages.ts";
import { history, records } from "./records.ts";
import { replay } from "./replay.ts";
import { tools } from "./tools.ts";
import { watching } from "./watching.ts";
import { state, worlds } from "./worlds.ts";

/** A test compares the names with the specification. */
export const handlers = {
  ...describe,
  ...worlds,
  ...state,
  ...clock,
  ...books,
  ...history,
  ...watching,
  ...messages,
  ...faults,
  ...records,
  ...session,
  ...replay,
  ...tools,
  ...actList,
};

/** Rejects operations that other handlers implement if there is a database. */
function rejectWithoutAccounts(): never {
  const why = "This sandbox has no teams: they are kept in a database.";
  throw new HttpError(409, `${why} Start it with the option \`database\`, such as postgres://user@host/name.`, {
    code: "NO_DATABASE",
  });
}

export function createCommand(outer: OuterHandlers) {
  const byId: Readonly<Record<string, (requested: never) => Answer | Promise<Answer>>> = { ...handlers, ...outer };
  return (exchange: Routed, application: RequestsPort & WorldsPort): Answer | Promise<Answer> => {
    const { path, query } = exchange.parameters;
    const { id, operation } = exchange.route;
    const handler = byId[id] ?? (operation.path.startsWith("/_sandbox/acts/") ? performAct : rejectWithoutAccounts);
    // The request has passed the contract of this operation, so its types hold.
    return handler({
      exchange,
      application,
      path,
      query,
      body: exchange.body,
      get world() {
        return findWorld({ exchange, application });
      },
    } as never);
  };
}

export { assertOwnPage, CHALLENGE, createCookie, createSignInResponse, readCookie, readSentToken } from "./guard.ts";
export { type ControlId, defineHandlers, describeUnknownOperation, done, ok, type Requested } from "./handler.ts";
