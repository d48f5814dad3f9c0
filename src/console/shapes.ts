// What paths answer that the typed client does not know yet.
import type { Entry, Fact } from "./entries.ts";

export interface Member {
  path: string;
  before?: unknown;
  after?: unknown;
}
export type ChangeKind = "created" | "updated" | "removed";
export interface RecordChange {
  collection: string;
  id: string;
  change: ChangeKind;
  members: readonly Member[];
}
export interface Cause {
  kind: "request" | "act" | "clock" | "delivery" | "world";
  id: string;
}
export interface Check {
  name: string;
  passed: boolean | null;
  looked_at: string;
}
export interface Basis {
  kind: "sentence" | "assumption" | "specification";
  text: string;
  id?: string;
  value?: string;
}
export interface Smallest {
  text: string;
  set?: Record<string, unknown>;
  tried: boolean;
}
export interface Refusal {
  status: number | null;
  code: string;
  message: string;
  rule: string;
  checks: readonly Check[];
  rests_on: readonly Basis[];
  smallest?: Smallest;
  note?: string;
}
export interface Posting {
  type: string;
  direction: string;
  amount: number;
}
export interface Why {
  id: string;
  kind: "request" | "act" | "clock" | "message" | "delivery" | "record";
  title: string;
  at: string;
  wall_at: string | null;
  clock?: "held" | "running";
  refusal?: Refusal;
  cause?: Cause & { title: string };
  facts: readonly Fact[];
  changes: readonly RecordChange[];
  entries: readonly { id: string; number: string; kind: string; currency: string; postings: readonly Posting[] }[];
  messages: readonly WhyMessage[];
  then: readonly { id: string; seq: number; kind: string; at: string; title: string; status: number | null }[];
  history?: readonly Version[];
  notes?: readonly string[];
}
export interface WhyMessage {
  id: string;
  kind: string;
  deliveries: readonly {
    id: string;
    url: string;
    state: string;
    attempts: readonly { at: string; status: number | null; error: string | null }[];
  }[];
}
export interface Version {
  seq: number;
  at: string;
  wall_at: string;
  cause: Cause & { title?: string };
  change: ChangeKind;
  members: readonly Member[];
}
export interface Parts {
  headers: Record<string, string | string[]>;
  query?: Record<string, string | string[]>;
  body: unknown;
}
export type WholeEntry = Entry & {
  request?: Parts;
  answer?: Parts | null;
  input?: unknown;
  result?: unknown;
  receipt?: readonly { at: string; what: string; id: string; facts: readonly Fact[] }[];
  violations?: readonly { location: readonly (string | number)[]; message: string }[];
  notes?: readonly string[];
};
export interface Replayed {
  id: string;
  status: number | null;
  answer: unknown;
}
