// A soak and books, as a sandbox has them: what the program holds is its word, and what is so is the sandbox's.
import { bookPages } from "../../client/book-pages.ts";
import { dataOf, type Server } from "../../client/control.ts";
import { type OwnPosting, reconcile } from "../../client/reconcile.ts";
import { type BooksFigures, type SoakFigures, whyBooksUnsigned, whySoakUnsigned } from "../certificate/index.ts";
import { isDelivery, isRequest } from "../observed.ts";
import type { Profile } from "../profiles/index.ts";
import { differencesIn } from "../soak/differences.ts";
import { NoState, stateFrom } from "../soak/state.ts";
import { expectedIn, truthOf, unsentIn } from "../soak/truth.ts";
import { type Alike, type CertificateInput, NotWitnessed, type WholeWorld, wholeWorld } from "./run-in-world.ts";

const DAY_MS = 86_400_000;

interface Beside {
  profile: Profile;
  server: Server;
  alike: Alike;
}

/** Throws NotWitnessed where the world or the printed state does not show what the profile asks for. */
export async function soakWitnessed(
  { soak, seed }: CertificateInput,
  { profile, server, alike }: Beside,
): Promise<SoakFigures> {
  if (!soak) throw new NotWitnessed(`The profile ${profile.name} asks for a soak, and none was shown.`);
  const { world, days, rate, scope, restarts } = soak;
  const whole = await wholeWorld(server, world);
  const { control, entries, made } = whole;
  const messages = await dataOf(control.GET("/_sandbox/messages", { params: { query: { limit: 1000 } } }));
  alike(world, made, messages.items);
  const { now } = await dataOf(control.GET("/_sandbox/clock"));
  // The one thing about the plan that the world itself can show: that its days have passed.
  if (Date.parse(now) - Date.parse(entries[0]?.at ?? now) < (days - 1) * DAY_MS)
    throw new NotWitnessed(`The clock of world ${world} did not move by ${days} days. Show the world of the soak.`);
  const { compared, differences } = await comparedIn(whole, soak);
  const why = whySoakUnsigned({ no_judgement: null, differences, compared, days }, profile);
  const [first] = differences;
  if (why) throw new NotWitnessed(first ? `${why} ${first.of} ${first.id}: ${first.kind}.` : why);
  const [calls, deliveries] = [entries.filter(isRequest).length, entries.filter(isDelivery).length];
  return { seed, days, rate, scope, restarts, calls, deliveries, compared };
}

async function comparedIn({ control, entries }: WholeWorld, soak: NonNullable<CertificateInput["soak"]>) {
  const state = stateOf(soak.state);
  const truth = await truthOf(control, Object.keys(state));
  const unsent = unsentIn(entries);
  const differences = differencesIn(state, truth, (kind, records) =>
    expectedIn(kind, soak.scope, records, entries),
  ).filter(({ kind, id }) => kind !== "stale" || !unsent.has(id));
  const compared = Object.fromEntries(Object.entries(state).map(([kind, printed]) => [kind, printed.length]));
  return { compared, differences };
}

function stateOf(printed: unknown) {
  try {
    return stateFrom(printed);
  } catch (reason) {
    throw reason instanceof NoState ? new NotWitnessed(reason.message) : reason;
  }
}

/** The rows are the client's word; the journal that they are held against is the sandbox's own. */
export async function booksWitnessed(
  { books }: CertificateInput,
  { profile, server, alike }: Beside,
): Promise<BooksFigures> {
  if (!books) throw new NotWitnessed(`The profile ${profile.name} asks for books, and none were shown.`);
  const { control, made } = await wholeWorld(server, books.world);
  alike(books.world, made, []);
  const read = (query: object) => dataOf(control.GET("/_sandbox/books/entries", { params: { query } }));
  const { rows, entries, agrees } = await reconcile(bookPages({}, read), books.rows as OwnPosting[]);
  const why = whyBooksUnsigned({ rows, agrees });
  if (why) throw new NotWitnessed(why);
  return { rows, entries };
}
