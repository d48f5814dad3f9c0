// What happens when a sandbox starts: the world default is made or taken up where it was left, its clock set as asked, and a
// subscription made for --webhook-url.
import { readInstant } from "../domain/instant.ts";
import { EVENT_KINDS } from "../domain/kinds.ts";
import { Refusal } from "../domain/refusal.ts";
import { createSubscription } from "../domain/subscription.ts";
import type { House } from "../http/house.ts";
import { SettingFault, type Settings } from "../settings.ts";
import type { World } from "../world/world.ts";

/** Answers warnings for a person. */
export async function begin(house: House, settings: Settings): Promise<string[]> {
  const clock = readInstant(settings.clock ?? "");
  const known = house.worlds.get("default");
  const warnings = known ? await resume(house, known, settings, clock) : [];
  const world = known ?? create(house, clock);
  if (settings.webhookUrl !== undefined) subscribe(house, world, settings.webhookUrl, settings.webhookEvents);
  return warnings;
}

function create(house: House, clock: string | undefined): World {
  try {
    return house.states.create({ id: "default", ...(clock ? { clock } : {}) });
  } catch (reason) {
    if (reason instanceof Refusal) throw new SettingFault(`The world can't begin. ${reason.message}`);
    throw reason;
  }
}

async function resume(
  house: House,
  world: World,
  { assume, fixture, seed }: Settings,
  clock: string | undefined,
): Promise<string[]> {
  const identity = world.collections.identity.get("identity");
  if (Object.keys(assume).length > 0) house.assumptions.set(world, { ...assume });
  if (clock !== undefined) {
    const now = house.now(world);
    if (clock < now)
      throw new SettingFault(
        `--clock ${clock} lies before ${now}, where the saved world stands, and a clock does not go back. Leave --clock out, or start anew with --fresh.`,
      );
    await house.clock.set(world, { now: clock, mode: "held" });
  }
  const other = [
    ...(identity && identity.origin.fixture !== fixture
      ? [`--fixture ${fixture}: the saved world was made from ${identity.origin.fixture}`]
      : []),
    ...(identity && seed !== undefined && identity.seed !== seed
      ? [`--seed ${seed}: the saved world has the seed ${identity.seed}`]
      : []),
  ];
  return other.map((reason) => `${reason}, and goes on as it is. --fresh starts anew.`);
}

function subscribe(house: House, world: World, url: string, kinds: readonly string[]): void {
  const known = [...world.collections.subscriptions.all()].some(
    (subscription) => subscription.url === url && subscription.state === "ENABLED",
  );
  if (known) return;
  const event_types = (kinds.length > 0 ? [...kinds] : [...EVENT_KINDS]) as never;
  house.change(world, "start", (desk) =>
    createSubscription(
      desk,
      { url, event_types, state: "ENABLED", description: "Made by --webhook-url" },
      house.random.secret(),
    ),
  );
}
