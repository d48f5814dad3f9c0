// Defines the errors of the store, and explains system errors: what happened, to which file, and what to do next.
import { OptionError } from "../../platform/option-names.ts";

export class StoreError extends OptionError {
  override name = "StoreError";
}

/** A quota does not allow the store to keep a change. */
export class QuotaError extends Error {
  override name = "QuotaError";
}

export const isQuotaError = (reason: unknown): reason is QuotaError & { name: "QuotaError" } =>
  reason instanceof Error && reason.name === "QuotaError";

/** Compares the name, because the store on a database is bundled separately and has its own copy of the class. */
export const isStoreError = (reason: unknown): reason is StoreError =>
  reason instanceof Error && reason.name === "StoreError";

/** The mode of all files of a store, which contain secrets. */
export const OWNER_ONLY = 0o600;

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "this user's share of the disk is full; free some space and try again",
  EFBIG: "the system lets no file grow that large; raise the limit (see `ulimit -f`) and try again",
  EACCES: "this user has no right to; change the permissions, or use another {option data} file",
  EPERM: "this user has no right to; change the permissions, or use another {option data} file",
  EROFS: "the disk is read-only; use another {option data} file",
  ENOTDIR: "part of the path is a file and not a folder; use another {option data} file",
  EEXIST: "part of the path is a file and not a folder; use another {option data} file",
  EISDIR: "it is a folder; name a file inside it",
  ELOOP: "it is a link; move it away and try again",
  ENOENT: "the file or its folder is gone; put it back, or start again with another {option data} file",
};

/**
 * Returns the system's code of an error, such as `ENOENT`. It doesn't check the class, because jest runs us in another
 * realm than Node's errors.
 */
export function readErrorCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** Converts a system error to a StoreError. `what` names the failed action and the file. */
export function explain(what: string, error: unknown): StoreError {
  if (isStoreError(error)) return error;
  const { message } = (error ?? {}) as { message?: string };
  const reason = REASONS[readErrorCode(error) ?? ""] ?? message ?? String(error);
  return new StoreError(`${what}: ${reason}`, { cause: error });
}
