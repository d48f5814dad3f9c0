// Creates every part of a sandbox and connects them, so that no part depends on another. It contains no rules.

import { randomUUID } from "node:crypto";
import manifest from "../package.json" with { type: "json" };
import {
  type Application,
  createMonitor,
  type Lint,
  type NoRecording,
  type RecordScenario,
  type Watchers,
} from "./engine/app/index.ts";
import { after, fromMillis, toMillis } from "./engine/domain/index.ts";
import { createApp, createInProcessServer, isSameSecret, NO_PORT, type SandboxRouter } from "./engine/http/index.ts";
import { ActivityLog, openDataFile } from "./engine/log/index.ts";
import {
  assertValidSettings,
  createClose,
  createEngine,
  type Data,
  type Engine,
  makeApplication,
  makeRandom,
  makeToken,
  makeWorldId,
  readFixtureOnce,
  startEngine,
  startStoredWorld,
  toCredentialKey,
} from "./engine/make/index.ts";
import { readSettings, type SandboxOptions, type Settings } from "./engine/settings.ts";
import { monotonicClock, wallClock } from "./engine/time/index.ts";
import { whyHandlers } from "./engine/why/index.ts";
import { formatSessionId } from "./engine/world/index.ts";
import type { HostedNode, SharedStore, TeamStore, Teams } from "./hosted/index.ts";
import { makeSessions } from "./mcp/sessions/index.ts";
import { formatOptions, type NameOption, nameProperty } from "./platform/option-names.ts";
import { getPackageRoot } from "./platform/package-folder.ts";

export { listDefaultAssumptions, type OperatorLogEntry, type Watchers } from "./engine/app/index.ts";
export { listBindingOverrides, patchDocument, preparePrism } from "./engine/http/index.ts";
export { findFixtures } from "./engine/make/index.ts";

/** Returns undefined if a package for traces is missing. */
export async function openTraces(): Promise<Watchers["traces"]> {
  const { openTraces: open } = await import("./hosted/traces/index.ts");
  return open(manifest.version);
}

export { wallClock } from "./engine/time/index.ts";

/** A sandbox that is created and started, but does not listen yet. */
export interface Sandbox {
  /** Serves requests, in memory, behind a server, or in an app that mounts it. */
  router: SandboxRouter;
  application: Application;
  /** Problems at the start that did not prevent it, one sentence each. */
  warnings: string[];
  /** Sets the address of the sandbox once it listens. Resolves when the other nodes on its database know it too. */
  reachedAt(base: string): Promise<void> | undefined;
  /** Called before the server stops, so that a node can send its clients to other nodes. */
  leave(): Promise<void> | undefined;
  /** `answers` resolves when the server has stopped; it may write until then. */
  close(answers?: Promise<void>): Promise<void>;
}

/**
 * `warn` receives what no response can report; `watchers` receive all events; `nameOption` formats the names of
 * options in warnings.
 */
export async function makeSandbox(
  inputs: SandboxOptions,
  warnPerson: Application["warn"] = emitWarning,
  watchers: Watchers = {},
  nameOption: NameOption = nameProperty,
): Promise<Sandbox> {
  const monitor = createMonitor(watchers);
  const warn = (sentence: string) => {
    monitor.count("warnings");
    warnPerson(formatOptions(sentence, nameOption));
  };
  const settings = readSettings(inputs);
  assertValidSettings(settings);
  // The fixture is read before the data file is opened, so that --fresh does not replace the file by an unreadable fixture.
  if (settings.fresh) readFixtureOnce(settings.fixture);
  const address = { url: `http://127.0.0.1:${settings.port || 4010}` };
  const { engine, application, router, opened, node } = await createParts({ settings, warn, monitor }, address);
  const hosted = node?.hosted;
  const close = createClose(engine, node && (() => node.teams.close()));
  const begun = node ? node.hosted.beginDefault(() => startStoredWorld(application)) : startEngine(engine, application);
  const warnings = await begun.catch(async (reason) => {
    await close(false);
    throw reason;
  });
  return {
    router,
    application,
    warnings: [...(opened?.warnings ?? []), ...warnings].map((warning) => formatOptions(warning, nameOption)),
    reachedAt(url) {
      // Express calls this for every request of a mounted sandbox; skip the update when the address is unchanged.
      if (url === address.url) return undefined;
      address.url = url;
      return node?.store.registration.announce();
    },
    async leave() {
      if (!hosted) return;
      // MCP sessions close while their worlds can still be removed on any node.
      await application.mcp.close();
      await hosted.leave();
    },
    async close(answers) {
      application.followers.end();
      hosted?.end();
      await application.mcp.close();
      await close(true, answers);
    },
  };
}

/** Creates all parts of a sandbox, which is not started yet. `address`: where it listens, once it does. */
async function createParts(
  { settings, warn, monitor }: Pick<Application, "settings" | "warn" | "monitor">,
  address: { url: string },
) {
  const controlToken = settings.controlToken ?? makeToken();
  const credentialKey = settings.database === undefined ? undefined : toCredentialKey(controlToken);
  const opened = await openData(settings, credentialKey, address, warn);
  const shared = opened?.shared;
  const teams = shared && createTeams(shared, controlToken, warn);
  if (shared) shared.store.queue.findMaking = () => teams?.making;
  const engine = createEngine(
    {
      settings,
      opened,
      controlToken,
      credentialKey,
      warn,
      monitor,
      random: makeRandom(credentialKey),
      getListenUrl: () => address.url,
      getBaseUrl: () => settings.publicUrl?.replace(/\/$/, "") ?? address.url,
    },
    shared && teams && shared.parts.createWebhookLimits(teams),
  );
  const node = shared && teams && createNode(shared, teams, engine);
  const application: Application = {
    ...makeApplication(engine),
    mcp: makeMcp(engine, node?.hosted),
    record: makeRecorder(() => router, controlToken),
    lint,
    version: manifest.version,
    directory: node?.parts.createDirectory(node.store, node.hosted, node.teams),
    node: node && (() => node.hosted.node),
    findObstacle() {
      if (node?.hosted.isLeaving) return { why: "This node is stopping.", isStopping: true };
      const why = opened?.store.explainUnusable();
      return why === undefined ? undefined : { why, isStopping: false };
    },
  };
  const router = makeHttp(application, node);
  return { engine, application, router, opened, node };
}

/** The parts that exist only with a database. */
interface Shared {
  store: SharedStore;
  teams: TeamStore;
  parts: typeof import("./hosted/index.ts");
}

/** A node with everything that it adds to a sandbox of one process. */
interface Node extends Pick<Shared, "store" | "parts"> {
  teams: Teams;
  hosted: HostedNode;
}

/** A store with the state that the start found in it. */
interface Opened extends Data {
  warnings: readonly string[];
  shared?: Shared;
}

/** Opens the database or the data file. Returns undefined for a sandbox in memory. */
async function openData(
  settings: Settings,
  credentialKey: string | undefined,
  address: { url: string },
  warn: Application["warn"],
): Promise<Opened | undefined> {
  const { database, waitFor, data, durability, fresh, host, logBytes } = settings;
  const log = new ActivityLog(logBytes);
  if (database !== undefined) {
    const parts = await import("./hosted/index.ts");
    const url = () => settings.nodeUrl ?? parts.findOwnUrl(address.url, host);
    const node = { log, waitFor, newId: randomUUID, credentialKey: credentialKey ?? "", version: manifest.version };
    const { store, teams, warnings } = await parts.openDatabase(database, { ...node, wall: wallClock, url, warn });
    return { store, state: [], activityLog: log, warnings, shared: { store, teams, parts } };
  }
  if (data === undefined) return undefined;
  return { ...(await openDataFile(data, { log, maxBytes: logBytes, durability, fresh })), activityLog: log };
}

/** Creates the node that shares worlds with others on the same database. */
function createNode({ store, parts }: Shared, teams: Teams, engine: Engine): Node {
  const { settings, credentialKey = "", worlds, quarantine, faults, warn, monitor, states, clocks } = engine;
  store.registerMetrics(monitor.metrics);
  teams.limits.registerMetrics(monitor.metrics);
  const hosted = new parts.HostedNode({
    store,
    credentialKey,
    warn,
    count: monitor.count,
    most: settings.worldsInMemory,
    monotonic: monotonicClock,
    worlds: () => worlds.all(),
    world: (id) => worlds.get(id),
    open(id, state) {
      // A broken record of one world must not stop other worlds.
      quarantine.examine([states.open(id, state)]);
    },
    close: (world) => states.close(world),
    isBound: faults.isArmed,
    dueAt: (world) => (quarantine.explain(world) === undefined ? clocks.findDueTime(world) : undefined),
  });
  return { store, parts, teams, hosted };
}

/** Creates the access control of a database. */
function createTeams({ store, teams, parts }: Shared, controlToken: string, warn: Application["warn"]): Teams {
  return new parts.Teams({
    store: teams,
    controlToken,
    warn,
    monotonic: monotonicClock,
    newSecret: makeToken,
    now: () => store.readDatabaseTime(),
    secondsIn(duration) {
      const now = wallClock();
      return (toMillis(after(fromMillis(now), duration)) - now) / 1000;
    },
    isControlToken: (sent) => isSameSecret(sent, controlToken),
  });
}

/** Creates MCP sessions, which are clients and send their requests over HTTP. */
function makeMcp({ worlds, states, getListenUrl, getBaseUrl, controlToken }: Engine, hosted: HostedNode | undefined) {
  const own = { controlToken, version: manifest.version, folder: getPackageRoot() };
  return makeSessions({
    sandbox: () => ({ ...own, url: getListenUrl(), publicUrl: getBaseUrl() }),
    newSessionId: (world) => formatSessionId(world, randomUUID(), hosted?.node ?? ""),
    newWorldId: () => makeWorldId("mcp"),
    removeWorld(id) {
      const world = worlds.get(id);
      if (world) states.remove(world);
      return world !== undefined || hosted === undefined;
    },
  });
}

/** Creates the recorder, a client that sends requests in memory. It is loaded with the first recording. */
function makeRecorder(router: () => SandboxRouter, controlToken: string): RecordScenario {
  return async ({ world, wanted, credentials = { authorization: `Bearer ${controlToken}` } }) => {
    const { SandboxError, createScenarioOfEntries } = await import("./stories/recording/index.ts");
    const near = createInProcessServer(router());
    const send = (request: Request) => {
      for (const [name, value] of Object.entries({ ...credentials, origin: NO_PORT })) request.headers.set(name, value);
      return near.send(request);
    };
    try {
      return await createScenarioOfEntries({ url: NO_PORT, send }, world, wanted);
    } catch (reason) {
      // A rejection is returned; any other error is a bug of the sandbox.
      if (!(reason instanceof SandboxError)) throw reason;
      return { status: reason.status, code: reason.code as NoRecording["code"], rejection: reason.message };
    } finally {
      near.close();
    }
  };
}

/** Lints the traffic of a verdict. The module is loaded with the first call. */
const lint: Lint = async (traffic) => (await import("./verdict/lint/index.ts")).lint(traffic);

function makeHttp(application: Application, node: Node | undefined): SandboxRouter {
  if (!node) return createApp(application, { handlers: whyHandlers });
  const { parts, hosted, teams } = node;
  return createApp(application, {
    handlers: { ...whyHandlers, ...parts.createHandlers(teams, hosted) },
    access: parts.createAccess(application, teams),
    middleware: parts.createGate(hosted, teams, application),
  });
}

/** Prints a warning to the standard error if the caller gives no other way. */
export function emitWarning(sentence: string): void {
  process.emitWarning(sentence, "SandboxWarning");
}
