// world: which world the tools are about, what is in it; a new one, a copy, the way back.
import { data } from "../answer.ts";
import { type Beginning, callOf, defineTool, Refusal, type Session } from "../tool.ts";
import { worldLines } from "./overview.ts";

const ACTIONS = ["show", "list", "new", "fork", "use", "reset", "save", "restore"] as const;
const NAMED = { use: "id", fork: "id", save: "name", restore: "name" } as const;

export const world = defineTool({
  name: "world",
  title: "Choose, renew, save and restore the world",
  description:
    "Shows the world that the tools are about, lists all, makes a new one (`new`) or a copy of another (`fork`), looks into one that is there (`use`), goes back to the beginning (`reset`), or saves and restores it under a name.",
  takes: {
    action: { default: "show", type: "string", enum: ACTIONS },
    id: { description: "With use and fork: which world.", type: "string", maxLength: 100 },
    name: { description: "With save and restore: of the snapshot.", type: "string", maxLength: 100 },
    fixture: {
      description: "With new: what it begins with; default: as the sandbox was started.",
      type: "string",
      maxLength: 100,
    },
    clock: { description: "With new: the instant at which its clock is held.", type: "string", maxLength: 40 },
    seed: { description: "With new: for the same ids each time.", type: "string", maxLength: 100 },
  },
  example: { action: "list" },
  effect: "destroys",
  async run({ action, id, name, ...beginning }, session) {
    mustFit(action, { id, name, ...beginning });
    if (action === "list") return listed(session);
    const done = await moves[action](session, id ?? name ?? "", beginning);
    return [...(done ? [done] : []), ...(await worldLines(session))];
  },
});

type Move = (session: Session, named: string, beginning: Beginning) => Promise<string>;

const moves: Record<Exclude<(typeof ACTIONS)[number], "list">, Move> = {
  show: async () => "",
  async new(session, _, beginning) {
    await session.renew(beginning);
    return "This is a new world; the one that you had is gone.";
  },
  async fork(session, id) {
    await session.fork(id);
    return `This is a copy of ${id}, with credentials of its own.`;
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
};

/** What an action needs, and what only `new` takes. */
function mustFit(action: string, given: Record<string, string | undefined>): void {
  const needed = NAMED[action as keyof typeof NAMED];
  const takes = action === "new" ? ["fixture", "clock", "seed"] : [needed];
  const example = { use: "default", fork: "default", save: "before", restore: "before" }[action];
  const works = [callOf("world", needed ? { action, [needed]: example } : { action })];
  if (needed && given[needed] === undefined) throw new Refusal(`\`${needed}\` is missing.`, works);
  const odd = Object.keys(given).find((each) => given[each] !== undefined && !takes.includes(each));
  if (odd) throw new Refusal(`The action ${action} does not take \`${odd}\`.`, works);
}

async function listed({ ask, world: current }: Session) {
  const { items } = await ask((control) => control.GET("/_sandbox/worlds"));
  const rows = items.map(({ id, fixture, now, mode }) => ({ id, fixture, now, mode }));
  return [`The tools are about ${current()}. All worlds:`, data(rows)];
}
