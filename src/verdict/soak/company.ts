// What the business of a soak is made from: the company as it is at the beginning, and as the plan supposes that it goes on. A plan is
// made before anything happens, so that it follows from the seed alone; what turns out otherwise is refused, and counted.
import { type Control, type Schemas, unwrap } from "../../client/control.ts";

export interface Variant {
  id: string;
  seats?: number;
}
interface Session {
  start_time: string;
  end_time: string;
  timezone: string;
  starts_at: string;
  ends_at: string;
}
export interface PlannedEvent {
  id: string;
  experience: Experience;
  /** By the clock of the world, in milliseconds: when it begins, and when booking ends. */
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
  name: unknown;
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

/** Records of one request. */
const PAGE = 500;

/** All pages of a collection. */
export async function everyRecord(control: Control, collection: CollectionName): Promise<Stored[]> {
  const found: Stored[] = [];
  let cursor: string | undefined;
  do {
    const params = { path: { collection }, query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } };
    const page = await unwrap(control.GET("/_sandbox/records/{collection}", { params }));
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

interface StoredExperience {
  id: string;
  name: unknown;
  state?: string;
  ticket_variants?: readonly Variant[];
  resource_ids?: readonly string[];
}
interface CompanyEvent {
  id: string;
  state: string;
  experience_id: string;
  capacity: { total: number; reserved: number };
  sessions: readonly Session[];
  cutoff_at?: string;
  locked_by?: string;
  resource_ids?: readonly string[];
}

/** The company at the beginning; `planOf` (plan.ts) changes it. Sorted by id, so that equal worlds give equal plans. */
export async function companyIn(control: Control): Promise<Company> {
  const { now } = await unwrap(control.GET("/_sandbox/clock"));
  const [experiences, events] = [
    (await everyRecord(control, "experiences")) as unknown as StoredExperience[],
    (await everyRecord(control, "events")) as unknown as CompanyEvent[],
  ];
  const sold = experiences
    .filter(({ state, ticket_variants = [] }) => (state ?? "ACTIVE") === "ACTIVE" && ticket_variants.length > 0)
    .map(({ id, name, ticket_variants = [] }): Experience => ({ id, name, variants: ticket_variants }))
    .sort(byId);
  const byName = new Map(sold.map((each) => [each.id, each]));
  return {
    now: Date.parse(now),
    events: events.flatMap((event) => plannedOf(event, byName.get(event.experience_id))).sort(byId),
    bookings: [],
    cards: [],
    experiences: sold,
  };
}

/** What shares resources with others is left out, since the plan does not know what is left of those. */
function plannedOf(event: CompanyEvent, experience: Experience | undefined): PlannedEvent[] {
  const { id, state, capacity, sessions, cutoff_at, locked_by, resource_ids = [] } = event;
  const [first] = sessions;
  if (!experience || !first || state !== "ACTIVE" || locked_by !== undefined || resource_ids.length > 0) return [];
  const starts = Date.parse(first.starts_at);
  const session = sessions.length === 1 ? { start_time: first.start_time, end_time: first.end_time } : undefined;
  const cutoff = cutoff_at === undefined ? starts : Date.parse(cutoff_at);
  const { total, reserved } = capacity;
  return [{ ...{ id, experience, starts, cutoff, total, session }, left: total - reserved, timezone: first.timezone }];
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
