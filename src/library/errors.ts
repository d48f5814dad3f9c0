// What the library rejects with, beside an error response of the sandbox (SandboxError).

/** An awaited event did not happen in time. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "TIMED_OUT";
}

/** No message is as the filter says, so nothing was sent. */
export class NoMessageError extends Error {
  override readonly name = "NoMessageError";
  readonly code = "NO_MESSAGE";
}

/** The sandbox is closed. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
  readonly code = "SANDBOX_CLOSED";
  constructor(url: string) {
    super(`The sandbox at ${url} is closed. Await every call before close(), or start another sandbox.`);
  }
}

/** The file of `data`, or the `database`, can't be opened, read or written. */
export class DataError extends Error {
  override readonly name = "DataError";
  readonly code = "DATA_UNAVAILABLE";
}

/** Nothing answers at the address of a sandbox that runs elsewhere, what answers is not a sandbox, or the answer broke off. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly code = "SANDBOX_UNREACHABLE";
}
