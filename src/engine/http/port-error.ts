// The sandbox can't listen: where, why, and what to do.

export class PortError extends Error {
  override name = "PortError";
  readonly code = "PORT_UNAVAILABLE";
}
