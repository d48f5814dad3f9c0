// Lists and shows the records of a world as they are stored, and as the service returns them. Lists due work.

import type { Schemas } from "../../../contract/schemas.ts";
import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { getDuePage } from "../../app/due-list.ts";
import { countRecords, findRecord, getRecordPage } from "../../app/records.ts";
import { DomainError } from "../../domain/kernel/domain-error.ts";
import { readInstant } from "../../domain/kernel/instant.ts";
import { type CollectionName, recordKinds, type StoredRecord } from "../../domain/kernel/record-kinds.ts";
import type { World } from "../../world/state/world.ts";
import { cutToSeconds } from "../assumption-responses.ts";
import { HttpError } from "../errors.ts";
import { listActViews } from "./acts.ts";
import { defineHandlers, ok } from "./handler.ts";

type AnsweredRecordView = Schemas["RecordShown"];

/** Finds the record in the response of an operation; undefined if no operation returns it, such as a deleted event. */
function findAnswer(
  world: World,
  name: CollectionName,
  record: StoredRecord,
  application: RequestsPort,
): AnsweredRecordView["answer"] {
  const [id, parameter = "", member = "id"] = recordKinds[name].answered ?? [];
  if (id === undefined) return undefined;
  const operation = application.operations.get(id);
  if (!operation) throw new Error(`${id} is not served`);
  const requested = { path: { [parameter]: record[member] }, query: {}, headers: {}, body: undefined };
  try {
    const { body } = application.read(world, (tx) => {
      const view = operation.answer(tx, requested as never);
      return tx.assumes("timestamps") === "second" ? cutToSeconds(view) : view;
    });
    const { items } = body as { items?: StoredRecord[] };
    // Some records are only returned within a list.
    const found = items ? items.find((item) => item.id === record.id) : (body as StoredRecord);
    return found && { operation: id, body: found };
  } catch (reason) {
    if (reason instanceof DomainError && reason.status === 404) return undefined;
    throw reason;
  }
}

/** Lists the acts that the state of the record allows, with the field that names the record filled in. */
function listPossibleActs(
  world: World,
  { collection, record }: Pick<AnsweredRecordView, "collection" | "record">,
  { acts }: RequestsPort,
): AnsweredRecordView["acts"] {
  const names = recordKinds[collection].namedBy ?? [];
  return listActViews().flatMap(({ act, summary, input: { required = [] } }) => {
    // The first required field of an act names its record.
    const [member = ""] = required;
    const input = { [member]: record.id };
    return names.includes(member) && acts.isAllowed(world, act, input, record) ? [{ act, summary, input }] : [];
  });
}

export const records = defineHandlers<WorldsPort & RequestsPort>()({
  listCollections: ({ application, world }) => ok({ items: application.read(world, countRecords) }),
  listRecords({ application, path, query, world }) {
    const { q, where, cursor, limit = 100 } = query;
    return ok(application.read(world, (tx) => getRecordPage(tx, path.collection, { q, where, cursor, limit })));
  },
  getRecord({ application, path, world }) {
    const { collection, id } = path;
    const view = application.read(world, (tx) => findRecord(tx, collection, id));
    if (!view) {
      throw new HttpError(404, `World ${world.id} has no record ${id.slice(0, 100)} in ${collection}.`, {
        list: "GET /_sandbox/records/{collection}",
      });
    }
    const answer = findAnswer(world, collection, view.record, application);
    return ok({ ...view, ...(answer ? { answer } : {}), acts: listPossibleActs(world, view, application) });
  },
  listDue({ application, query, world }) {
    const { cursor, limit = 100 } = query;
    // Instants are compared as text, so they must be normalized.
    const until = query.until === undefined ? undefined : (readInstant(query.until) ?? query.until);
    return ok(application.read(world, (tx) => getDuePage(tx, { until, cursor, limit })));
  },
});
