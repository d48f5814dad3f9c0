// What a program must know to use a sandbox, as the line of `start --json` has it.

/** The members, and their order, are a contract. */
export interface Announcement {
  url: string;
  auth_url: string;
  token_url: string;
  client_id: string;
  client_secret: string;
  control_url: string;
  control_token: string;
  webhook_secret: string | null;
  world: string;
  fixture: string;
  now: string;
  pid: number;
}

/** What the banner shows beside the announcement. */
export interface Introduction {
  announcement: Announcement;
  version: string;
  instance: string;
  mode: "held" | "running";
  maturity: string;
  counts: Readonly<Record<string, number>>;
  inForce: InForce;
}

/** What makes this sandbox differ from one that was started without options. */
interface InForce {
  /** Assumptions with another value than their default, as `id=value`. */
  flips: readonly string[];
  subscriptions: readonly { url: string; kinds: number }[];
  /** The address whose messages the announced secret signs. */
  signs?: string;
  /** The operations that have a fault armed. */
  faults: readonly string[];
}

/** In the order of the banner, and with words that `count` can make plural. */
export const kindsOf = (counts: Readonly<Record<string, number>>) => ({
  experience: counts.experiences ?? 0,
  event: counts.events ?? 0,
  booking: counts.bookings ?? 0,
  order: counts.orders ?? 0,
  "gift card": counts.giftCards ?? 0,
});
