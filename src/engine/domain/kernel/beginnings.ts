// Lists the reasons why the history of a world began, with their wording.
export const BEGAN = {
  start: "the sandbox was started",
  opened: "version 0.2.0 had written the world",
  created: "the world was created",
  fork: "the world was forked",
  reset: "the world was reset",
  import: "a document was imported",
  restore: "a snapshot was restored",
  populate: "the world was populated",
  dropped: "earlier changes are no longer kept",
} as const;
export type Beginning = keyof typeof BEGAN;
