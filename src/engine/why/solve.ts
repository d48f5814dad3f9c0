// Finds the smallest change that works. It tries the proposals of the rule on copies of the world at the time of the
// request, nearest first. If another rule then rejects the request, its proposals are added. The search is bounded.

import { optional } from "../../platform/optional.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { domainRules } from "./domain-rules.ts";
import { fill, type Proposal, type RejectedRequest, type Rule, toAdvice, toValues } from "./rule.ts";
import { transportRules } from "./transport-rules.ts";

export interface ProposedChange {
  set: Readonly<Record<string, unknown>>;
  first: readonly { act: string; input: object }[];
  at?: Instant;
  scopes?: readonly string[];
}

export interface FoundChange {
  text: string;
  change: ProposedChange;
  tried: boolean;
}

/** Tries a change. Returns undefined if it works, and otherwise the new rejection. */
type TryChange = (change: ProposedChange) => Promise<RejectedRequest | undefined>;

/** Each attempt costs a copy of the world and a request, which take some milliseconds. */
const MAX_ATTEMPTS = 40;
/** The number of rules that may reject the request in turn. */
const MAX_STEPS = 4;

const rules: Readonly<Record<string, Rule>> = { ...transportRules, ...domainRules };

export const findRule = (name: string): Rule => rules[name] ?? transportRules.other;

interface Candidate {
  change: ProposedChange;
  steps: readonly Proposal[];
}

const UNCHANGED: Candidate = { change: { set: {}, first: [] }, steps: [] };

export async function findChange(question: RejectedRequest, attempt: TryChange): Promise<FoundChange | undefined> {
  let remaining = MAX_ATTEMPTS;
  const attemptLimited: TryChange = async (change) => (remaining-- > 0 ? attempt(change) : question);
  const found = await search(question, UNCHANGED, attemptLimited);
  if (found) return toFoundChange(found, true);
  const advised = listProposals(question).find(({ advice }) => advice);
  return advised && toFoundChange(addProposal(UNCHANGED, advised), false);
}

const toFoundChange = ({ change, steps }: Candidate, tried: boolean): FoundChange => ({
  text: steps.map(({ text }) => text).join(" "),
  change,
  tried,
});

function listProposals(question: RejectedRequest): Proposal[] {
  const { smallest, advice } = findRule(question.rejection.rule);
  const words = advice === undefined ? [] : [toAdvice(fill(advice, toValues(question)))];
  return [...(smallest?.(question) ?? []), ...words];
}

/** Returns false for a proposal that is only advice. */
const canBeTried = ({ set, first, at, scopes }: Proposal): boolean =>
  (set !== undefined && Object.keys(set).length > 0) || first !== undefined || at !== undefined || scopes !== undefined;

async function search(
  question: RejectedRequest,
  candidate: Candidate,
  attempt: TryChange,
  depth = 1,
): Promise<Candidate | undefined> {
  const others: { question: RejectedRequest; candidate: Candidate }[] = [];
  for (const proposal of listProposals(question).filter(canBeTried)) {
    const next = addProposal(candidate, proposal);
    const against = await attempt(next.change);
    if (against === undefined) return next;
    // The change may be the first step of one that works.
    if (isProgress(against, question)) others.push({ question: against, candidate: next });
  }
  if (depth === MAX_STEPS) return undefined;
  // The search is breadth first, because a change in one step is smaller than one in two.
  for (const other of others.slice(0, 2)) {
    const found = await search(other.question, other.candidate, attempt, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Returns whether the request is now rejected by another rule, or by the same rule for another value. */
function isProgress({ rejection: now }: RejectedRequest, { rejection: before }: RejectedRequest): boolean {
  return now.rule !== before.rule || now.message !== before.message;
}

function addProposal({ change, steps }: Candidate, proposal: Proposal): Candidate {
  const { set, first = [], at, scopes } = proposal;
  const others = { set: { ...change.set, ...set }, first: [...change.first, ...first], ...optional({ at, scopes }) };
  return { change: { ...change, ...others }, steps: [...steps, proposal] };
}
