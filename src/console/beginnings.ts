// The reasons why a history or log begins, by their names in the control API.
export const BEGINNINGS: Readonly<Record<string, string>> = {
  start: "the sandbox was started",
  opened: "version 0.2.0 had written the world",
  created: "the world was made",
  fork: "the world was forked",
  reset: "the world was reset",
  import: "a world was imported",
  restore: "a snapshot was restored",
  populate: "data was added in bulk",
  dropped: "earlier changes are no longer kept",
};
