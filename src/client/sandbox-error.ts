// An error response of the sandbox, as an exception.

/** What the sandbox rejected: the status of its response, and the code and the sentence in it. */
export class SandboxError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "SandboxError";
    this.status = status;
    this.code = code;
  }
}
