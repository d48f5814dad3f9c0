// Exports, imports, resets, saves, restores and populates a world.
import { findDuplicateMember } from "../../../platform/duplicate-member.ts";
import type { TimePort, WorldsPort } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { readHeader } from "../exchange.ts";
import { countCollections, describeWorld } from "./describe.ts";
import { defineHandlers, done, ok } from "./handler.ts";

const showLoaded = (world: World, application: WorldsPort & TimePort, warnings?: readonly string[]) =>
  ok({ id: world.id, ...describeWorld(world, application), ...(warnings && warnings.length > 0 ? { warnings } : {}) });

/** Rejects duplicate fields in the text, because JSON.parse keeps only the last of two. */
function assertNoDuplicates(document: string): void {
  const duplicate = findDuplicateMember(document);
  const what = "the document has it twice. Use a document that a sandbox exported.";
  if (duplicate) rejectInput(`body.${duplicate.path.slice(0, 200)}`, what);
}

function assertSaved(world: World, name: string, { worlds }: WorldsPort): void {
  const names = worlds.listSnapshots(world.id);
  if (names.includes(name)) return;
  throw new HttpError(404, `World ${world.id} has no snapshot ${name}. It has: ${names.join(", ") || "none"}.`);
}

function showSnapshot(world: World, name: string, application: WorldsPort): object {
  const saved = application.worlds.findSnapshot(world.id, name);
  const counts = saved ? countCollections(saved) : {};
  const at = saved?.identity()?.saved;
  return { name, saved_at: at?.wall ?? "", now: at?.now ?? "", counts };
}

export const state = defineHandlers({
  exportState: ({ application, world }) => ({ status: 200, pieces: application.states.export(world) }),
  async importState(requested) {
    const { application, exchange } = requested;
    assertNoDuplicates(String(exchange.raw ?? ""));
    const imported = await application.states.import(requested.world, requested.body);
    // The world may have been removed in the meantime.
    const { world, warnings } = imported ?? { world: requested.world, warnings: [] };
    return showLoaded(world, application, warnings);
  },
  resetState({ application, world }) {
    return showLoaded(application.states.reset(world), application);
  },
  async populateState({ application, body, exchange, world }) {
    const { bookings, seed } = body;
    const key = readHeader(exchange, "idempotency-key");
    if (key !== undefined && (key === "" || key.length > MAX_KEY_LENGTH))
      rejectInput("header.idempotency-key", `it must have 1 to ${MAX_KEY_LENGTH} characters; it has ${key.length}.`);
    const request = { bookings, key, seed: seed === undefined ? undefined : String(seed), onClose: exchange.onClose };
    const populated = await application.states.populate(world, request);
    if (populated) return ok({ world: world.id, ...populated });
    const message = `World ${world.id} was changed while bookings were made for it, so none was added. Send the request again when nothing else changes it, or hold its clock first.`;
    throw new HttpError(409, message);
  },
  listSnapshots({ application, world }) {
    const names = application.worlds.listSnapshots(world.id);
    return ok({ items: names.map((name) => showSnapshot(world, name, application)) });
  },
  getSnapshot({ application, path, world }) {
    assertSaved(world, path.name, application);
    return ok(showSnapshot(world, path.name, application));
  },
  saveSnapshot({ application, path, world }) {
    application.states.save(world, path.name);
    return ok(showSnapshot(world, path.name, application));
  },
  deleteSnapshot({ application, path, world }) {
    assertSaved(world, path.name, application);
    application.worlds.forget(world.id, path.name);
    return done;
  },
  restoreSnapshot({ application, path, world }) {
    assertSaved(world, path.name, application);
    return showLoaded(application.states.restore(world, path.name), application);
  },
});

/** The limit in the specification, which doesn't validate headers of the control API. */
const MAX_KEY_LENGTH = 100;
