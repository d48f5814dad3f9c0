// Lists the audit log in pages.
import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import { rejectInput } from "../../engine/domain/index.ts";
import { defineHandlers, describeUnknownOperation, ok } from "../../engine/http/control/index.ts";
import { optional } from "../../platform/optional.ts";
import type { Teams } from "../teams/teams.ts";

const actions = controlOperations.map(({ iid }) => iid ?? "");

export const createAuditHandlers = (teams: Teams) =>
  defineHandlers({
    async listAudit({ query, exchange }) {
      const { about_world: world, cursor, limit = 100, team, action, ...rest } = query;
      if (action !== undefined && !actions.includes(action))
        rejectInput("query.action", describeUnknownOperation(action, actions));
      const wanted = { ...rest, action, world, before: cursor, team: exchange.caller?.account ?? team };
      const rows = await teams.store.audit({ ...wanted, limit: limit + 1 });
      const items = rows.slice(0, limit);
      return ok({ items, ...optional({ next: rows.length > limit ? items.at(-1)?.id : undefined }) });
    },
  });
