// Isolated worlds: made, forked, removed. A credential is the choice of its world.
import type { World } from "../../world/world.ts";
import { HttpError } from "../errors.ts";
import type { House } from "../house.ts";
import { worldCalled } from "../named-world.ts";
import { describeWorld } from "./describe.ts";
import { done, type Handlers, ok } from "./handler.ts";

/** A new world with the credentials it is chosen by. */
function introduced(world: World, house: House): object {
  const [key] = [...world.collections.keys.all()];
  const url = house.base();
  return {
    id: world.id,
    client_id: key?.id ?? "",
    client_secret: key?.secret ?? "",
    url,
    token_url: `${url}/oauth2/token`,
  };
}

/** A path is for whoever starts the sandbox; a request can only name what it has. */
function mustBeName(fixture: string | undefined, house: House): void {
  if (fixture === undefined || fixture === house.settings.fixture || /^[a-z0-9-]+$/.test(fixture)) return;
  const message = `body.fixture is ${fixture.slice(0, 100)}, which is not a name. A folder of your own is given at the start: --fixture <path>.`;
  throw new HttpError(400, message);
}

export const worlds: Handlers = {
  listWorlds: ({ house }) =>
    ok({ items: house.worlds.all().map((world) => ({ id: world.id, ...describeWorld(world, house) })) }),
  createWorld({ house, body }) {
    const wish = (body ?? {}) as { id?: string; fixture?: string; clock?: string; seed?: string | number };
    if (wish.id !== undefined && house.worlds.get(wish.id)) {
      throw new HttpError(409, `There is a world ${wish.id} already. Choose another id, or leave it out.`, {
        code: "WORLD_EXISTS",
      });
    }
    mustBeName(wish.fixture, house);
    return { status: 201, body: introduced(house.states.create(wish), house) };
  },
  getWorld({ house, path }) {
    const world = worldCalled(house, path.worldId ?? path.id ?? "");
    return ok({ id: world.id, ...describeWorld(world, house) });
  },
  deleteWorld({ house, path }) {
    const world = worldCalled(house, path.worldId ?? path.id ?? "");
    if (world.id === "default")
      throw new HttpError(409, "The world default can't be removed. Reset it with POST /_sandbox/state/reset.", {
        code: "DEFAULT_WORLD",
      });
    house.states.remove(world);
    return done;
  },
  listWorldCredentials({ house, path }) {
    const world = worldCalled(house, path.worldId ?? path.id ?? "");
    const keys = [...world.collections.keys.all()].filter((key) => !key.revoked_at);
    const own = [...world.collections.subscriptions.all()].find(({ url }) => url === house.settings.webhookUrl);
    const items = keys.map(({ id, secret, name, scopes }) => ({ client_id: id, client_secret: secret, name, scopes }));
    return ok({ items, webhook_secret: own?.secret ?? null });
  },
  forkWorld({ house, path, body }) {
    const world = worldCalled(house, path.worldId ?? path.id ?? "");
    const { count = 1 } = (body ?? {}) as { count?: number };
    return { status: 201, body: { items: house.states.fork(world, count).map((fork) => introduced(fork, house)) } };
  },
};
