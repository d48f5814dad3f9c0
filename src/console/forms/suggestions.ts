// What a field that names something can be filled with: records of the world that fit what is typed, the operations of the service, or
// what the experience of the input offers and asks.
import { control, unwrap } from "../api.ts";
import type { Input } from "./form-model.ts";

type AnyRecord = Readonly<Record<string, unknown>>;

interface Suggestion {
  value: string;
  label: string;
}

/** A list of suggestions that is longer helps nobody. */
const MAX_SUGGESTIONS = 30;

/** `picks`: a collection, or one of the words below; `text`: what is typed. */
export async function loadSuggestions(picks: string, text: string, input: Input): Promise<Suggestion[]> {
  if (picks === "operations") {
    const { items } = await unwrap(control.peek().GET("/_sandbox/operations"));
    return items.map(({ operation_id, method, path }) => ({ value: operation_id, label: `${method} ${path}` }));
  }
  // They belong to one experience, so they are read from its record.
  if (picks === "offers" || picks === "questions") {
    const experience = await loadExperience(input);
    return experience ? (picks === "offers" ? listOffers(experience) : listQuestions(experience)) : [];
  }
  const query = { limit: MAX_SUGGESTIONS, ...(text ? { q: text } : {}) };
  const params = { path: { collection: picks as "bookings" }, query };
  const { items, heads } = await unwrap(control.peek().GET("/_sandbox/records/{collection}", { params }));
  return items.map(({ id }) => ({
    value: id,
    label: [heads[id]?.title, heads[id]?.state].filter(Boolean).join(" · "),
  }));
}

async function loadRecord(
  collection: "events" | "bookings" | "experiences",
  id: unknown,
): Promise<AnyRecord | undefined> {
  if (typeof id !== "string") return undefined;
  const params = { path: { collection, id } };
  // Of an id that is half typed there is no record, and that is no error.
  const { data } = await control.peek().GET("/_sandbox/records/{collection}/{id}", { params });
  return data?.record;
}

/** The experience that an input is about, named by itself, by its event or by its booking. */
async function loadExperience({ experience_id, event_id, booking_id }: Input): Promise<AnyRecord | undefined> {
  const of = (await loadRecord("events", event_id)) ?? (await loadRecord("bookings", booking_id));
  return loadRecord("experiences", experience_id ?? of?.experience_id);
}

type NamedRecord = { id: string; name?: unknown; label?: unknown; add_on_variants?: readonly NamedRecord[] };

const toSuggestion = ({ id, name, label }: NamedRecord, kind: string): Suggestion => ({
  value: id,
  label: `${Object.values((name ?? label ?? {}) as object)[0] ?? id} · ${kind}`,
});

const listOffers = ({ ticket_variants = [] }: { ticket_variants?: readonly NamedRecord[] }): Suggestion[] =>
  ticket_variants.flatMap((variant) => [
    toSuggestion(variant, "VARIANT"),
    ...(variant.add_on_variants ?? []).map((offer) => toSuggestion(offer, "ADDON")),
  ]);

const listQuestions = ({
  information_requests = [],
}: {
  information_requests?: readonly (NamedRecord & { scope?: string })[];
}) => information_requests.map((question) => toSuggestion(question, question.scope ?? ""));
