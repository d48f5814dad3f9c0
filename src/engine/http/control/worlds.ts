// Creates, forks and removes worlds, whose credentials determine the world of a request. Exports, imports, resets, saves,
// restores and populates a world.
import { basename, resolve } from "node:path";
import { findDuplicateMember } from "../../../platform/duplicate-member.ts";
import { isFixtureName } from "../../../platform/fixture-name.ts";
import { optional } from "../../../platform/optional.ts";
import type { Application, PastState, RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import type { WorldDirectory } from "../../app/client-ports.ts";
import { explainTarget, findSubscription, MADE_WITH_WORLD } from "../../domain/company/subscription.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import type { Key } from "../../domain/kernel/records.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, readDecodedHeader, readHeader } from "../exchange.ts";
import { grantToken } from "../token.ts";
import { countCollections, describeWorld } from "./describe.ts";
import { createWorldExists, defineHandlers, done, findWorld, getWorld, ok } from "./handler.ts";

/** Shows a new world with its credentials. */
function showCreated(world: World, application: RequestsPort, webhook_secret?: string): object {
  // Every world begins with at least one key.
  const [key] = [...world.credentials().keys.all()];
  const url = application.getBaseUrl();
  const { id: client_id = "", secret: client_secret = "" } = key ?? {};
  return {
    id: world.id,
    client_id,
    client_secret,
    url,
    token_url: `${url}/oauth2/token`,
    ...optional({ webhook_secret }),
  };
}

/** Lists the credentials of a world. The library also uses it, without a request. */
export function listCredentials(world: World, { settings }: RequestsPort) {
  const { keys, subscriptions } = world.credentials();
  const items = [...keys.all()]
    .filter((key) => !key.revoked_at)
    .map(({ id, secret, name, scopes }) => ({ client_id: id, client_secret: secret, name, scopes }));
  return { items, webhook_secret: findSubscription(subscriptions.all(), settings.webhookUrl)?.secret ?? null };
}

function showListed(world: World, application: WorldsPort & TimePort): object {
  const forked_from = application.states.findOrigin(world.id);
  return { id: world.id, ...describeWorld(world, application), ...optional({ forked_from }) };
}

/**
 * Resolves the name of a fixture. A request can't name a path. The folder that the sandbox was started with is named by
 * its last segment.
 */
function resolveFixture(
  fixture: string | undefined,
  { settings, fixtures }: WorldsPort & RequestsPort,
): string | undefined {
  if (fixture === undefined || fixture === settings.fixture) return fixture;
  if (fixture === basename(resolve(settings.fixture)) && !fixtures().includes(fixture)) return settings.fixture;
  if (isFixtureName(fixture)) return fixture;
  const what = `${fixture.slice(0, 100)} is not the name of a fixture. To use a folder, start the sandbox with it.`;
  return rejectInput("body.fixture", what);
}

/** Lists the worlds of the caller. Worlds in memory have more details. */
async function listAll(
  directory: WorldDirectory,
  application: WorldsPort & TimePort,
  account: string | undefined,
): Promise<object[]> {
  const found = await directory.list(account);
  return found.map(({ id, recipe, used_at }) => {
    const world = application.worlds.get(id);
    const { fixture = "", seed = "", forked_from } = recipe ?? {};
    const view = world ? showListed(world, application) : { id, fixture, seed, used_at };
    return { ...view, ...optional({ forked_from }) };
  });
}

/** Waits until new worlds are stored, and releases them to the node that receives their first request. */
async function storeWorlds(
  made: readonly World[],
  { waitUntilDurable, directory, runs }: Pick<Application, "waitUntilDurable" | "directory" | "runs">,
): Promise<void> {
  await Promise.all(made.map(({ id }) => waitUntilDurable(id)));
  // A world of a run stays on the node of the run.
  const free = made.filter(({ id }) => runs.findRun(id) === undefined);
  if (directory) await Promise.all(free.map(({ id }) => directory.release(id)));
}

export const worlds = defineHandlers({
  async listWorlds({ application, exchange }) {
    const { directory, worlds } = application;
    const items = directory
      ? await listAll(directory, application, exchange.caller?.account ?? undefined)
      : worlds.all().map((world) => showListed(world, application));
    return ok({ items });
  },
  async createWorld({ application, body, exchange }) {
    const input = body ?? {};
    const account = exchange.caller?.account ?? null;
    const createFor = await application.directory?.prepare({ account, id: input.id });
    if (input.id !== undefined && application.worlds.get(input.id)) throw createWorldExists(input.id);
    const run = findRun(exchange, application);
    const fixture = resolveFixture(input.fixture, application);
    const { webhook_url: url, webhook_events: kinds = [], ...rest } = input;
    const reason = url === undefined ? undefined : explainTarget(url);
    if (reason) rejectInput("body.webhook_url", reason);
    const create = () => application.states.create({ ...rest, ...optional({ fixture, webhook_url: url }) });
    const world = createFor ? createFor(create) : create();
    // The response waits for the commit of this world.
    exchange.about = world.id;
    if (run !== undefined) application.runs.join(world.id, run);
    const description = MADE_WITH_WORLD;
    const secret = url === undefined ? undefined : application.subscribe(world, { url, kinds, description });
    const answer = { status: 201, body: showCreated(world, application, secret) };
    await storeWorlds([world], application);
    // The commit is durable, and the world may be on another node now.
    exchange.isStored = true;
    return answer;
  },
  getWorld({ application, path }) {
    const world = getWorld(application, path.worldId);
    return ok({ id: world.id, ...describeWorld(world, application) });
  },
  deleteWorld({ application, path, exchange }) {
    const world = getWorld(application, path.worldId);
    if (world.id === (exchange.caller?.account ?? "default"))
      throw new HttpError(409, "The default world can't be removed. Reset it instead.", { code: "DEFAULT_WORLD" });
    application.states.remove(world);
    return done;
  },
  listWorldCredentials({ application, path }) {
    return ok(listCredentials(getWorld(application, path.worldId), application));
  },
  async forkWorld({ application, path, body, exchange }) {
    const { count = 1, at, trial = false } = body ?? {};
    const account = exchange.caller?.account ?? null;
    const createFor = await application.directory?.prepare({ account, copyOf: path.worldId });
    const world = getWorld(application, path.worldId);
    const moment = at === undefined ? undefined : application.history.findNamedPoint(world, String(at));
    const fork = (past?: PastState) => {
      const create = () => application.states.fork(world, count, past, trial);
      return createFor ? createFor(create) : create();
    };
    const forks = moment ? await application.history.withPast(world, moment, fork) : fork();
    const run = application.runs.findHead(world.id);
    if (run !== undefined && !trial) for (const { id } of forks) application.runs.join(id, run);
    const answer = { status: 201, body: { items: forks.map((each) => showCreated(each, application)) } };
    await storeWorlds(forks, application);
    return answer;
  },
  issueWorldToken({ exchange, application, body }) {
    const world = findWorld({ exchange, application });
    const key = findKey(world, body?.client_id);
    // A token has at most the scopes of its key.
    const scopes = body?.scopes ?? key.scopes;
    const missing = scopes.filter((scope) => !key.scopes.includes(scope));
    if (missing.length > 0) {
      const what = `the key ${key.name} was not granted the scope ${missing.join(", ").slice(0, 200)}. It has: ${key.scopes.join(" ")}.`;
      return rejectInput("body.scopes", what);
    }
    const granted = grantToken(exchange, { world, key, scopes, sentBy: body?.sent_by }, application);
    // RFC 6749 section 5.1 forbids caches to store a token.
    return { ...ok({ ...granted, scopes, client_id: key.id }), headers: { "cache-control": "no-store" } };
  },
});

function findKey(world: World, id: string | undefined): Key {
  const keys = [...world.credentials().keys.all()].filter((key) => !key.revoked_at);
  const key = id === undefined ? keys[0] : keys.find((each) => each.id === id);
  if (key) return key;
  if (id === undefined) {
    const message = `Every key of the world ${world.id} is revoked. Create one with the act createKey.`;
    throw new HttpError(409, message, { code: "NO_KEY" });
  }
  throw new HttpError(404, `The world ${world.id} has no key ${id.slice(0, 100)} that is not revoked.`);
}

/** Finds the world whose run a new world joins. The environment of a program may name a world of another sandbox. */
function findRun(exchange: Exchange, { worlds }: WorldsPort): string | undefined {
  const named = readDecodedHeader(exchange, "sandbox-run");
  if (named === undefined) return undefined;
  const run = named === "default" ? (exchange.caller?.account ?? named) : named;
  return worlds.get(run)?.id;
}

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
