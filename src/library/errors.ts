// The errors of the library. Error responses of the sandbox are a SandboxError.

/** An awaited event did not happen in time. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "TIMED_OUT";
}

/** No message matches the filter, so nothing was sent. */
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

/** No sandbox responds at the address, another program responds, or the connection was lost during the response. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly code = "SANDBOX_UNREACHABLE";
}
