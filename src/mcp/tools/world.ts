// world: which world the tools are about, what is in it; a new one, a copy, the way back.
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { data } from "../answer.ts";
import { type Beginning, callOf, type Session, type Tool } from "../tool.ts";
import { worldLines } from "./overview.ts";

const { world: row } = tools;

interface WorldInput extends Beginning {
  action: keyof typeof moves | "list";
  id?: string;
  name?: string;
}

export const world: Tool = {
  name: "world",
  title: "Choose, renew, save and restore the world",
  description:
    "Shows the world that the tools are about, lists all, makes a new one (`new`) or a copy of another (`fork`), looks into one that is there (`use`), goes back to the beginning (`reset`), or saves and restores it under a name.",
  input: row.input,
  actions: row,
  example: { action: "list" },
  examples: [
    { action: "use", id: "default" },
    { action: "fork", id: "default" },
    { action: "save", name: "before" },
    { action: "restore", name: "before" },
  ],
  effect: "destroys",
  async run({ action, id, name, ...beginning }: WorldInput, session) {
    if (action === "list") return listed(session);
    // Whatever was done, the answer shows the world as it is now, with its credentials.
    const done = await moves[action](session, id ?? name ?? "", beginning);
    return [...(done ? [done] : []), ...(await worldLines(session))];
  },
};

const gone = (ids: readonly string[]): string => ids.map((id) => ` ${id} is gone.`).join("");

type Move = (session: Session, named: string, beginning: Beginning) => Promise<string>;

const moves = {
  show: async () => "",
  async new(session, _, beginning) {
    return `This is a new world.${gone(await session.renew(beginning))}`;
  },
  async fork(session, id) {
    const { spared, removed } = await session.fork(id);
    const use = callOf("world", { action: "use", id: spared });
    const back = spared === undefined ? "" : ` ${spared} stays until you make another world: ${use}.`;
    return `This is a copy of ${id}, with credentials of its own.${back}${gone(removed)}`;
  },
  async use({ ask, use }, worldId) {
    await ask((control) => control.GET("/_sandbox/worlds/{worldId}", { params: { path: { worldId } } }));
    use(worldId);
    return `The tools are about ${worldId} from now on.`;
  },
  async reset({ ask }) {
    await ask((control) => control.POST("/_sandbox/state/reset"));
    return "It is as it began.";
  },
  async save({ ask }, name) {
    await ask((control) => control.PUT("/_sandbox/snapshots/{name}", { params: { path: { name } } }));
    return `Saved. Go back to it with ${callOf("world", { action: "restore", name })}`;
  },
  async restore({ ask }, name) {
    await ask((control) => control.POST("/_sandbox/snapshots/{name}/restore", { params: { path: { name } } }));
    return "It is as it was saved.";
  },
  // The names of the actions stay known, so that the input's type follows from them.
} satisfies Record<string, Move>;

async function listed({ ask, world: current }: Session) {
  const { items } = await ask((control) => control.GET("/_sandbox/worlds"));
  const rows = items.map(({ id, fixture, now, mode }) => ({ id, fixture, now, mode }));
  return [`The tools are about ${current()}. All worlds:`, data(rows)];
}
