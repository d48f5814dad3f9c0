// The start of a sandbox: the world default is created or loaded, its clock set by --clock, and a subscription made for --webhook-url.
import { DomainError } from "../domain/kernel/domain-error.ts";
import { readInstant } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import { SettingFault, type Settings } from "../settings.ts";
import type { World } from "../world/state/world.ts";
import type { Application } from "./application.ts";

/** Returns warnings for the user. */
export async function begin(application: Application, settings: Settings): Promise<string[]> {
  const clock = readInstant(settings.clock ?? "");
  const known = application.worlds.get("default");
  const warnings = known ? await resume(application, known, settings, clock) : [];
  const world = known ?? create(application, clock);
  if (settings.webhookUrl !== undefined) subscribe(application, world, settings.webhookUrl, settings.webhookEvents);
  return warnings;
}

function create(application: Application, clock: string | undefined): World {
  try {
    return application.states.create({ id: "default", ...(clock ? { clock } : {}) });
  } catch (reason) {
    if (reason instanceof DomainError) throw new SettingFault(`The world default can't be created. ${reason.message}`);
    throw reason;
  }
}

async function resume(
  application: Application,
  world: World,
  { assume, fixture, seed }: Settings,
  clock: string | undefined,
): Promise<string[]> {
  const identity = world.identity();
  if (Object.keys(assume).length > 0) application.assumptions.set(world, { ...assume });
  if (clock !== undefined) {
    const now = application.now(world);
    if (clock < now)
      throw new SettingFault(
        `--clock ${clock} lies before ${now}, the clock of the saved world, and a clock can't go back. Leave --clock out, or replace the saved world with --fresh.`,
      );
    await application.clock.set(world, { now: clock, mode: "held" });
  }
  const other = [
    ...(identity && identity.origin.fixture !== fixture
      ? [`--fixture ${fixture}: the saved world was made from ${identity.origin.fixture}`]
      : []),
    ...(identity && seed !== undefined && identity.seed !== seed
      ? [`--seed ${seed}: the saved world has the seed ${identity.seed}`]
      : []),
  ];
  return other.map((reason) => `${reason}, and is used as it is. --fresh replaces it.`);
}

function subscribe(application: Application, world: World, url: string, kinds: readonly EventKind[]): void {
  const known = [...world.credentials().subscriptions.all()].some(
    (subscription) => subscription.url === url && subscription.state === "ENABLED",
  );
  if (known) return;
  application.subscribe(world, { url, kinds, description: "Made by --webhook-url" });
}
