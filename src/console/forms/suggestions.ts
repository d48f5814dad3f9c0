// Suggestions for a field: matching records, the operations of the service, or the offers and questions of an
// experience.
import { control, unwrap } from "../api.ts";
import type { Input } from "./form-model.ts";

type AnyRecord = Readonly<Record<string, unknown>>;

interface Suggestion {
  value: string;
  label: string;
}

/** A longer list of suggestions is hard to read. */
const MAX_SUGGESTIONS = 30;

/** Loads suggestions. `picks` is a collection, `operations`, `offers` or `questions`; `text` is the typed text. */
export async function loadSuggestions(picks: string, text: string, input: Input): Promise<Suggestion[]> {
  if (picks === "operations") {
    const { items } = await unwrap(control.peek().GET("/_sandbox/operations"));
    return items.map(({ operation_id, method, path }) => ({ value: operation_id, label: `${method} ${path}` }));
  }
  // Offers and questions belong to one experience, so they are read from its record.
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
  // An incomplete id has no record, which is not an error.
  const { data } = await control.peek().GET("/_sandbox/records/{collection}/{id}", { params });
  return data?.record;
}

/** Loads the experience that the input names directly, or by its event or booking. */
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
