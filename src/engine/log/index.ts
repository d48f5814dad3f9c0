// The entry point of the activity log: entries, the data file, and the interface of other stores.
export { type EntryStore, openDataFile } from "./data-file.ts";
export { decodeText, parseEntry, type StoredEntry } from "./entry.ts";
export { ActivityLog, type EntrySink } from "./log.ts";
export { applyEntry } from "./recover.ts";
export { isQuotaError, isStoreError, QuotaError, StoreError } from "./store-error.ts";
