// Defines the error of a sandbox that can't listen. Its message has the address, the reason, and what to do.
export class PortError extends Error {
  override name = "PortError";
  readonly code = "PORT_UNAVAILABLE";
}
