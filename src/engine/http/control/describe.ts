// Describes the sandbox: version and addresses, operations, the control specification, and metrics.
import type { HistoryPort, RequestsPort, TimePort, WorldsPort } from "../../app/application.ts";
import { MetricsRegistry, readMetrics, registerReading, type Sample } from "../../app/monitoring/metrics.ts";
import { fromMillis, isInstant } from "../../domain/kernel/instant.ts";
import type { World } from "../../world/state/world.ts";
import { findOverrides } from "../in-force.ts";
import { publicRoutes } from "../routes.ts";
import { createControlOpenapi, toYamlAnswer } from "../served.ts";
import { defineHandlers, ok } from "./handler.ts";

/** Counts the records of each collection. */
export function countCollections(world: Pick<World, "counts">): Record<string, number> {
  // Neither secrets nor the sandbox's own records are counted.
  const left = new Set(["company", "clock", "counters", "identity", "keys", "tokens", "resources"]);
  return Object.fromEntries(Object.entries(world.counts()).filter(([name]) => !left.has(name)));
}

export function describeWorld(world: World, application: WorldsPort & TimePort): Record<string, unknown> {
  const identity = world.identity();
  const clock = application.clock.show(world);
  // A broken clock can't be shown, so the quarantine is checked first. The instant was saved last, if it can be read.
  const why = application.findQuarantine(world);
  return {
    fixture: identity?.fixture ?? "",
    fixture_fingerprint: identity?.made_of ?? "",
    ...(why === undefined
      ? { now: application.now(world), mode: clock.mode }
      : { now: isInstant(clock.at) ? clock.at : fromMillis(0), mode: "held", set_aside: why }),
    seed: identity?.seed ?? "",
    counts: countCollections(world),
  };
}

export const describe = defineHandlers({
  describeSandbox({ application, world }) {
    const base = application.getBaseUrl();
    return ok({
      version: application.version,
      instance: application.instance,
      url: base,
      auth_url: base,
      token_url: `${base}/oauth2/token`,
      control_url: `${base}/_sandbox`,
      world: world.id,
      ...describeWorld(world, application),
      maturity: application.settings.maturity,
      retry: application.settings.retry,
      receiver_timeout: application.settings.receiverTimeout,
      rate_limit: application.settings.rateLimit ?? null,
      // Only faults that can still hit are counted.
      faults: application.faults.list(world.id).filter(({ hits = 0, times }) => hits < times).length,
      flips: findOverrides(world, application),
      data: application.settings.data ?? null,
      fixtures: application.fixtures(),
    });
  },
  listOperations() {
    // Metadata documents of OpenID and OAuth are omitted, because programs don't call them by name.
    const routes = publicRoutes.filter(({ id }) => !/^get(OpenId|Authorization)/.test(id));
    const items = routes.map(({ id, operation, scopes, maturity }) => ({
      operation_id: id,
      method: operation.method.toUpperCase(),
      path: operation.path,
      scopes,
      maturity,
    }));
    return ok({ items });
  },
  getControlDocument: ({ application, exchange }) => ok(createControlOpenapi(application, exchange)),
  getControlDocumentAsYaml: ({ application, exchange }) => toYamlAnswer(createControlOpenapi(application, exchange)),
  async getMetrics({ application }) {
    const worlds = new MetricsRegistry();
    registerWorlds(worlds, application);
    const texts = await Promise.all([worlds.metrics(), readMetrics(application.monitor.metrics)]);
    return { status: 200, headers: { "content-type": worlds.contentType }, body: texts.join("") };
  },
});

type MetricsPorts = WorldsPort & RequestsPort & HistoryPort;

/** Registers metrics of each world, except on nodes, where thousands of worlds would have millions of series. */
function registerWorlds(registry: MetricsRegistry, { worlds, log, settings }: MetricsPorts): void {
  const all = worlds.all();
  const register = (name: string, help: string, labelNames: string[], read: () => Sample[]) =>
    registerReading(registry, { type: "gauge", name, help, labelNames, read });
  register("sandbox_worlds", "Worlds in the memory of this process.", [], () => [{ value: all.length }]);
  if (settings.database !== undefined) return;
  register("sandbox_records", "Records in a world, by collection.", ["world", "collection"], () =>
    all.flatMap((world) =>
      Object.entries(countCollections(world)).map(([collection, value]) => ({
        value,
        labels: { world: world.id, collection },
      })),
    ),
  );
  const requests = log.count("request");
  register("sandbox_journal_requests", "Requests in the request log.", ["world"], () =>
    all.map(({ id }) => ({ value: requests.get(id) ?? 0, labels: { world: id } })),
  );
}
