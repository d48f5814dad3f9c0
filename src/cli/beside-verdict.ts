// What a profile asks for beside a verdict: a soak, and the program's own books held against the journal.
import { bookPages } from "../client/book-pages.ts";
import { dataOf } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import type { BooksRun, Connection } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import type { Scope, Soak, SoakOptions } from "../verdict/soak/index.ts";
import { type Against, columnsOption, held } from "./answers/reconciled.ts";
import { type Call, type Option, option } from "./command.ts";
import { DEFAULTS, scopeOption } from "./commands/soak.ts";
import { Misuse } from "./failure.ts";
import { launcher } from "./launch.ts";
import { textOf } from "./options.ts";
import { type OwnBooks, readOwnBooks } from "./own-books.ts";
import { soakProgressOn } from "./terminal/soak-progress.ts";
import { ownTargetOf, printedBy, probeOf, unlessStopped, withRunFolders } from "./verdict-given.ts";

export const besideOptions: readonly Option[] = [
  scopeOption,
  option.text(
    "books",
    "CMD",
    "A shell command that prints the program's own postings, as CSV or as one JSON object a line.",
  ),
  columnsOption,
];

/**
 * What each needs to know, and the options that are only for it. `idle`: options that mean nothing without the part.
 */
const NEEDS = {
  soak: { asks: "a soak", option: "probe", write: '--probe "node state.js"', of: "its own state", idle: ["scope"] },
  books: {
    asks: "books",
    option: "books",
    write: '--books "node books.js"',
    of: "its postings",
    idle: ["books", "columns"],
  },
} as const;

/** Before anything is run. A run takes minutes; a missing option should not be found at its end. */
export function mustHaveWhatItAsks(profile: Profile, { given }: Call): void {
  for (const [part, { asks, option, write, of, idle }] of Object.entries(NEEDS)) {
    if (profile[part as keyof typeof NEEDS]) {
      if (given.text(option) === undefined)
        throw new Misuse(
          `The profile ${profile.name} asks for ${asks}: say how the program prints ${of}, as in \`${write}\`.`,
        );
      continue;
    }
    const odd = idle.find((name) => given.source(name) === "flag");
    if (odd)
      throw new Misuse(`--${odd} is for ${asks}, which the profile ${profile.name} does not ask for. Leave it out.`);
  }
}

/** A shared sandbox in which it takes place, where there is one. */
type Shared = Pick<SoakOptions, "server" | "keep" | "printed">;

/** A month as `sandbox soak` has it. */
export async function soaked(
  { args, given, terminal, environment }: Call,
  shared: Shared = {},
): Promise<Soak | NodeJS.Signals> {
  const { soak } = await import("../verdict/soak/index.ts");
  const probe = probeOf(given.text("probe"), environment);
  if (!probe) throw new Misuse("A soak needs --probe.");
  const progress = soakProgressOn(terminal);
  return withRunFolders((freshFolder) => {
    // It has no budget of time: half a soak would prove nothing.
    const running = soak({
      ...{ ...ownTargetOf({ given }), ...shared, ...DEFAULTS, command: args, seed: textOf(given, "seed"), probe },
      ...{ scope: textOf(given, "scope") as Scope, launch: launcher(args, environment), without: [] },
      ...{ freshFolder, isOver: () => false, report: progress.report },
    });
    return unlessStopped(running.finally(progress.end));
  });
}

/** Held against the journal here. */
export const booksHeld = (call: Call): Promise<BooksRun<Against> | NodeJS.Signals> =>
  booksRun(call, {}, (own, connection) => heldAgainst(connection, own));

/**
 * As the program prints them, in a world of a shared sandbox. The shared sandbox judges the rows itself, so they are
 * not held against anything here.
 */
export const booksPrinted = (call: Call, shared: Shared): Promise<BooksRun<OwnBooks> | NodeJS.Signals> =>
  booksRun(call, shared, async (own) => own);

async function booksRun<Held>(
  { args, given, environment }: Call,
  shared: Shared,
  hold: (own: OwnBooks & { file: string }, connection: Connection) => Promise<Held>,
): Promise<BooksRun<Held> | NodeJS.Signals> {
  const { holdBooks } = await import("../verdict/index.ts");
  // A minute, as for a probe that reads a whole year.
  const limits = { timeout: 60_000, maxBuffer: MOST_BYTES };
  const print = printedBy(textOf(given, "books"), environment, { failed: "The books could not be printed", ...limits });
  return withRunFolders((freshFolder) =>
    unlessStopped(
      holdBooks({
        ...{ ...ownTargetOf({ given }), ...shared, seed: textOf(given, "seed"), freshFolder },
        ...{ launch: launcher(args, environment), limitMs: given.number("timeout") * 1000 },
        hold: async (connection, more) => {
          const own = readOwnBooks(await print(connection, more), "What --books prints", given.list("columns"));
          return hold({ file: "the books", ...own }, connection);
        },
      }),
    ),
  );
}

/** A year of postings is long. */
const MOST_BYTES = 256 * 1024 * 1024;

function heldAgainst({ url, control_token }: Connection, own: Parameters<typeof held>[1]): Promise<Against> {
  const control = createControl({ url, controlToken: control_token }, "default");
  const read = (query: object) => dataOf(control.GET("/_sandbox/books/entries", { params: { query } }));
  return held(bookPages({}, read), own);
}
