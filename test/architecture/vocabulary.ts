// The words of this program: those that have one meaning here, as AGENTS.md lists them, and those that names must not contain, with the word to use.
// A word is a part of a name: `placedAt` has two. What the specification names is let through where it is a member.

/** Word → meaning; the table of AGENTS.md. */
export const WORDS_IN: readonly (readonly [word: string, meaning: string])[] = [
  ["world", "one isolated copy of everything: state, clock, credentials, subscriptions, log, faults, seed"],
  ["fixture", "a world on disk"],
  ["act", "a host action that the public API has no endpoint for"],
  ["operation", "one operationId of the specification"],
  ["fact", "what a rule reports as having happened"],
  ["kind", "a webhook event kind; a message goes to each subscription as a delivery, in one or more attempts"],
  ["outbox", "messages written in the same commit as the change that caused them"],
  ["transaction (`tx`)", "reads and writes of one change of one world"],
  ["activity log, accounting journal", 'two different things; never just "journal"'],
  ["assumption, alternative", "what the sandbox decides where the description is silent; another value of it"],
  ["fault", "a failure that the integrator arms"],
  ["path, location", "of a field in a document: `body.items.0`; where a world lives, or a parameter is sent"],
];

/** Word → the word to use instead. */
export const WORDS_OUT: Readonly<Record<string, string>> = {
  told: "reported, emitted, or what it is: phrases, lines, evidence",
  came: "received, actual, outcome",
  said: "message, details, given",
  asked: "requested, request, question, query",
  usual: "default, byDefault",
  kept: "retained, stored, cached, remaining",
  shown: "view, display, excerpt, visible",
  aside: "quarantine, or remark",
  place: "path, location, position, section",
  places: "paths, locations, positions, sections",
  shelf: "repository",
  courier: "dispatcher",
  lifted: "the overrides of an assumption",
  teller: "builder",
  tidy: "eviction, or what is removed",
  believe: "cache",
  believed: "cached",
  buried: "removed, dead",
  struck: "hit, hits",
  suffices: "has capacity",
  sure: "after durable, confirmed",
  peek: "read",
  unseen: "undecided, silent",
};

/** Where a word that is out is the field's own: a booking is placed. */
export const BY_THE_FIELD: readonly string[] = ["placeBooking"];

/** Members of what is printed, which no schema of the specification names. */
export const PRINTED: Readonly<Record<string, string>> = {
  came: "a step in the transcript of a scenario",
  asked: "what the tool `why` answers of a request",
  usual: "a command that runs where none is named",
};
