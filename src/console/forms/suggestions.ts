// Suggestions for a field: matching records, the operations of the service, or the offers and questions of an
// experience.
import { read, type Schemas } from "../api.ts";
import type { Input } from "./form-model.ts";

interface Suggestion {
  value: string;
  label: string;
}

/** A longer list of suggestions is hard to read. */
const MAX_SUGGESTIONS = 30;

/** Loads suggestions. `picks` is a collection, `operations`, `offers` or `questions`; `text` is the typed text. */
export async function loadSuggestions(picks: string, text: string, input: Input): Promise<Suggestion[]> {
  if (picks === "operations") {
    const { items } = await read("/_sandbox/operations");
    return items.map(({ operation_id, method, path }) => ({ value: operation_id, label: `${method} ${path}` }));
  }
  if (picks === "offers" || picks === "questions") return listParts(picks, await loadExperience(input));
  const { items, heads } = await read("/_sandbox/records/{collection}", {
    path: { collection: picks as Schemas["CollectionName"] },
    query: { limit: MAX_SUGGESTIONS, q: text || undefined },
  });
  return items.map(({ id }) => ({
    value: id,
    label: [heads[id]?.title, heads[id]?.state].filter(Boolean).join(" · "),
  }));
}

/** Loads a record. An incomplete id has no record, which is not an error. */
const loadRecord = async (collection: Schemas["CollectionName"], id: unknown) =>
  typeof id === "string"
    ? read("/_sandbox/records/{collection}/{id}", { path: { collection, id } }).then(
        ({ record }) => record,
        () => undefined,
      )
    : undefined;

/** Loads the experience that the input names directly, or by its event or booking. */
async function loadExperience({ experience_id, event_id, booking_id }: Input): Promise<Experience> {
  const of = (await loadRecord("events", event_id)) ?? (await loadRecord("bookings", booking_id));
  return ((await loadRecord("experiences", experience_id ?? of?.experience_id)) ?? {}) as Experience;
}

type NamedRecord = { id: string; name?: object; label?: object; scope?: string; add_on_variants?: NamedRecord[] };
type Experience = { ticket_variants?: NamedRecord[]; information_requests?: NamedRecord[] };

const listParts = (picks: "offers" | "questions", experience: Experience): Suggestion[] =>
  picks === "offers"
    ? (experience.ticket_variants ?? []).flatMap((variant) => [
        toSuggestion(variant, "VARIANT"),
        ...(variant.add_on_variants ?? []).map((offer) => toSuggestion(offer, "ADDON")),
      ])
    : (experience.information_requests ?? []).map((question) => toSuggestion(question, question.scope ?? ""));

const toSuggestion = ({ id, name, label }: NamedRecord, kind: string): Suggestion => ({
  value: id,
  label: `${Object.values(name ?? label ?? {})[0] ?? id} · ${kind}`,
});
