// The audit log of a sandbox that many share.

import controlOperations from "../../../contract/generated/control-operations.json" with { type: "json" };
import { optional } from "../../../platform/optional.ts";
import type { TeamsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { handlersWith, noOperation, ok } from "./handler.ts";
import { teamsOf } from "./teams.ts";

const actions = [...controlOperations.map(({ iid }) => iid ?? ""), "removeUnusedWorld"];

export const audit = handlersWith<TeamsPort>()({
  async listAudit({ application, query, exchange }) {
    const { about_world: world, cursor, limit = 100, team, action, ...rest } = query;
    if (action !== undefined && !actions.includes(action))
      reject("INVALID_INPUT", { path: "query.action", what: noOperation(action, actions) });
    const wanted = { ...rest, action, world, before: cursor, team: exchange.principal?.team ?? team };
    const rows = await teamsOf(application).store.audit({ ...wanted, limit: limit + 1 });
    const items = rows.slice(0, limit);
    return ok({ items, ...optional({ next: rows.length > limit ? items.at(-1)?.id : undefined }) });
  },
});
