// The company from which the plan of a soak is created. The plan changes the company in advance, so that it follows from the seed alone;
// an act that turns out to be impossible is rejected by the sandbox, and counted.
import { type Control, type Schemas, unwrap } from "../../client/control.ts";

interface Variant {
  id: string;
  seats?: number;
}
interface Session {
  start_time: string;
  end_time: string;
  timezone: string;
  starts_at: string;
}
export interface PlannedEvent {
  id: string;
  experience: Experience;
  /** When the event starts and when booking ends, on the world's clock, in milliseconds since 1970. */
  starts: number;
  cutoff: number;
  left: number;
  total: number;
  timezone: string;
  session: Pick<Session, "start_time" | "end_time"> | undefined;
}
export interface PlannedBooking {
  id: string;
  event: PlannedEvent;
  variant: Variant;
  quantity: number;
}
interface Experience {
  id: string;
  variants: readonly Variant[];
}
export interface Company {
  now: number;
  events: PlannedEvent[];
  bookings: PlannedBooking[];
  cards: string[];
  experiences: readonly Experience[];
}

type Stored = Schemas["StoredRecord"];
export type CollectionName = Schemas["CollectionName"];

/** Records in one response. */
const PAGE_SIZE = 500;

/** Reads all pages of a collection. */
export async function readAllRecords(control: Control, collection: CollectionName): Promise<Stored[]> {
  const found: Stored[] = [];
  let cursor: string | undefined;
  do {
    const params = { path: { collection }, query: { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) } };
    const page = await unwrap(control.GET("/_sandbox/records/{collection}", { params }));
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

interface StoredExperience {
  id: string;
  state?: string;
  ticket_variants?: readonly Variant[];
}
interface StoredEvent {
  id: string;
  state: string;
  experience_id: string;
  capacity: { total: number; reserved: number };
  sessions: readonly Session[];
  cutoff_at?: string;
  locked_by?: string;
  resource_ids?: readonly string[];
}

export const readEvents = async (control: Control): Promise<StoredEvent[]> =>
  (await readAllRecords(control, "events")) as unknown as StoredEvent[];

/** Reads the company at the start of a soak. Its records are sorted by id, so that equal worlds have equal plans. */
export async function readCompany(control: Control): Promise<Company> {
  const { now } = await unwrap(control.GET("/_sandbox/clock"));
  const experiences = ((await readAllRecords(control, "experiences")) as unknown as StoredExperience[])
    .filter(({ state = "ACTIVE", ticket_variants = [] }) => state === "ACTIVE" && ticket_variants.length > 0)
    .map(({ id, ticket_variants = [] }): Experience => ({ id, variants: ticket_variants }))
    .sort(compareIds);
  const byId = new Map(experiences.map((each) => [each.id, each]));
  const events = (await readEvents(control))
    .flatMap((event) => toPlannedEvents(event, byId.get(event.experience_id)))
    .sort(compareIds);
  return { now: Date.parse(now), events, bookings: [], cards: [], experiences };
}

/** Omits events that share resources with others, because the plan does not know how many of those are left. */
function toPlannedEvents(event: StoredEvent, experience: Experience | undefined): PlannedEvent[] {
  const { id, state, capacity, sessions, cutoff_at, locked_by, resource_ids = [] } = event;
  const [first] = sessions;
  if (!experience || !first || state !== "ACTIVE" || locked_by !== undefined || resource_ids.length > 0) return [];
  const starts = Date.parse(first.starts_at);
  const session = sessions.length === 1 ? { start_time: first.start_time, end_time: first.end_time } : undefined;
  const cutoff = cutoff_at === undefined ? starts : Date.parse(cutoff_at);
  const { total, reserved } = capacity;
  return [{ ...{ id, experience, starts, cutoff, total, session }, left: total - reserved, timezone: first.timezone }];
}

const compareIds = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
