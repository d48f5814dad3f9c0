// The errors of the store: each says what happened, to which file, and what to do next. System errors get their sentence here.
import { OptionError } from "../../platform/option-names.ts";

export class StoreError extends OptionError {
  override name = "StoreError";
}

/** The store could keep a change, and may not: a quota is met. */
export class QuotaError extends Error {
  override name = "QuotaError";
}

export const isQuotaError = (reason: unknown): reason is QuotaError & { name: "QuotaError" } =>
  reason instanceof Error && reason.name === "QuotaError";

/** By name: the store on a database is a file of its own, with a copy of the class. */
export const isStoreError = (reason: unknown): reason is StoreError =>
  reason instanceof Error && reason.name === "StoreError";

/** The mode of every file of a store: they hold secrets. */
export const OWNER_ONLY = 0o600;

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "this user's share of the disk is full; free some space and try again",
  EFBIG: "the system lets no file grow that large; raise the limit (see `ulimit -f`) and try again",
  EACCES: "this user has no right to; change the permissions, or use another {option data} file{option orMemory}",
  EPERM: "this user has no right to; change the permissions, or use another {option data} file{option orMemory}",
  EROFS: "the disk is read-only; use another {option data} file{option orMemory}",
  ENOTDIR: "part of the path is a file and not a folder; use another {option data} file",
  EEXIST: "part of the path is a file and not a folder; use another {option data} file",
  EISDIR: "it is a folder; name a file inside it",
  ENOENT: "the file or its folder is gone; put it back, or start again with another {option data} file",
};

/** The system's code of an error (`ENOENT`), or nothing. Its class says nothing: where jest runs us, Node's errors are of another realm. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** A failure of the system, as a sentence: `what` says what could not be done, and with which file. */
export function explain(what: string, error: unknown): StoreError {
  if (isStoreError(error)) return error;
  const { message } = (error ?? {}) as { message?: string };
  const reason = reasons[codeOf(error) ?? ""] ?? message ?? String(error);
  return new StoreError(`${what}: ${reason}`, { cause: error });
}
