// The changes of whole worlds, each with its entry in the log.
import type { World } from "../world/state/world.ts";
import type { WorldsPort } from "./application.ts";

type States = WorldsPort["states"];

interface LoggedStatesDeps {
  note(world: World, change: string, detail: Readonly<Record<string, unknown>>): void;
  /** The worlds that are part of the run that began in this one, and go with it. */
  partsOf(world: World): readonly World[];
  /** What is read of the world in its run when it is gone. */
  leftIn(world: World): Readonly<Record<string, unknown>>;
  /** The world is gone, and its log with it. */
  gone(world: World, left: Readonly<Record<string, unknown>>): void;
  /** The world is elsewhere from now on, and its log is kept nowhere. */
  closed(world: World): void;
}

/** The same states, so that no caller has to think of the log. */
export function loggedStates(states: States, { note, partsOf, leftIn, gone, closed }: LoggedStatesDeps): States {
  const noted = (world: World, change: string, detail: Readonly<Record<string, unknown>> = {}): World => {
    note(world, change, detail);
    return world;
  };
  const remove = (world: World): void => {
    const left = leftIn(world);
    // First: what is written before would be kept of a world that is gone.
    states.remove(world);
    gone(world, left);
  };
  return {
    ...states,
    create(input) {
      const world = states.create(input);
      return noted(world, "created", { fixture: world.identity()?.fixture ?? "" });
    },
    fork(world, count, past, isTrial) {
      const forks = states.fork(world, count, past);
      // Each fork, and the world that they come from.
      for (const fork of forks) note(fork, "created", { fork_of: world.id });
      // The copies of a trial are gone soon, and nobody can follow an entry to them.
      if (!isTrial) note(world, "fork", { worlds: forks.map(({ id }) => id), ...(past ? { at: past.point.at } : {}) });
      return forks;
    },
    open(id, state, why) {
      const world = states.open(id, state, why);
      return why === "created" ? noted(world, "created", { fixture: world.identity()?.fixture ?? "" }) : world;
    },
    remove(world) {
      for (const part of partsOf(world)) remove(part);
      remove(world);
    },
    close(world) {
      states.close(world);
      closed(world);
    },
    reset: (world) => noted(states.reset(world), "reset"),
    async import(world, document) {
      const imported = await states.import(world, document);
      // Undefined where the world has gone meanwhile.
      if (imported) note(imported.world, "import", {});
      return imported;
    },
    populate: (world, request, waiting) =>
      states.populate(world, request, { ...waiting, added: ({ added }) => note(world, "populate", { added }) }),
    save(world, name) {
      states.save(world, name);
      note(world, "snapshot", { name });
    },
    restore: (world, name) => noted(states.restore(world, name), "restore", { name }),
    async rewind(world, moment) {
      const rewound = await states.rewind(world, moment);
      const { to, undone, undid, records, undo } = rewound;
      note(world, "rewind", { to: to.seq, named: to.named, undone, undid, records, was: undo.to });
      return rewound;
    },
  };
}
