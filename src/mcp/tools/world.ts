// The tool world shows and selects the world of the tools, creates or copies one, and resets, saves or restores it.
import { markData } from "../result-pages.ts";
import { formatCall, type NewWorldSettings, type Session, type ToolDefinition } from "../tool.ts";
import { describeWorld } from "./overview.ts";

interface WorldInput extends NewWorldSettings {
  action: keyof typeof moves | "list";
  id?: string;
  name?: string;
}

export const world: ToolDefinition = {
  name: "world",
  title: "Select, create, save and restore worlds",
  description:
    "Shows the world that the tools use, lists all worlds, creates one (`new`), copies one (`fork`), selects an existing one (`use`), resets it to its initial state (`reset`), or saves and restores it under a name.",
  example: { action: "list" },
  examples: [
    { action: "use", id: "default" },
    { action: "fork", id: "default" },
    { action: "save", name: "before" },
    { action: "restore", name: "before" },
  ],
  effect: "destroys",
  async run({ action, id, name, ...settings }: WorldInput, session) {
    if (action === "list") return listWorlds(session);
    // Every result ends with the current state of the world and its credentials.
    const done = await moves[action](session, id ?? name ?? "", settings);
    return [...(done ? [done] : []), ...(await describeWorld(session))];
  },
};

const formatReturnCall = (id: string): string => `Return to ${id}: ${formatCall("world", { action: "use", id })}.`;

type WorldAction = (session: Session, named: string, settings: NewWorldSettings) => Promise<string>;

const moves = {
  show: async () => "",
  async new({ world: getWorld, create }, _, settings) {
    const previous = getWorld();
    await create(settings);
    return `This is a new world. ${formatReturnCall(previous)}`;
  },
  async fork({ world: getWorld, fork }, id) {
    const previous = getWorld();
    await fork(id);
    return `This is a copy of ${id} with its own credentials. ${formatReturnCall(previous)}`;
  },
  async use({ ask, use }, worldId) {
    await ask((control) => control.GET("/_sandbox/worlds/{worldId}", { params: { path: { worldId } } }));
    use(worldId);
    return `The tools now use world ${worldId}.`;
  },
  async reset({ ask }) {
    await ask((control) => control.POST("/_sandbox/state/reset"));
    return "The world was reset.";
  },
  async save({ ask }, name) {
    await ask((control) => control.PUT("/_sandbox/snapshots/{name}", { params: { path: { name } } }));
    return `Saved. Restore it with ${formatCall("world", { action: "restore", name })}`;
  },
  async restore({ ask }, name) {
    await ask((control) => control.POST("/_sandbox/snapshots/{name}/restore", { params: { path: { name } } }));
    return "The world was restored.";
  },
  // `satisfies` keeps the names of the actions, from which the type of the input is derived.
} satisfies Record<string, WorldAction>;

async function listWorlds({ ask, world: current }: Session) {
  const { items } = await ask((control) => control.GET("/_sandbox/worlds"));
  const rows = items.map(({ id, fixture, now, mode }) => ({ id, fixture, now, mode }));
  return [`The tools use world ${current()}. All worlds:`, markData(rows)];
}
