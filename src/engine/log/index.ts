// The entry point of the activity log: entries, the data file, and the interface of other stores.
export type { EntryStore } from "./data-file.ts";
export { decodeText, parseEntry, type State, type StoredEntry, type WorldRecords } from "./entry.ts";
export { ActivityLog, type EntrySink } from "./log.ts";
export { openDataFile } from "./open.ts";
export { applyEntry } from "./recover.ts";
export { type StoredWorlds, toState } from "./snapshot.ts";
export { isQuotaError, isStoreError, QuotaError, StoreError } from "./store-error.ts";
