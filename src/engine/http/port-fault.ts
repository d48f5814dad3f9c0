// The sandbox can't listen: where, why, and what to do.

export class PortFault extends Error {
  override name = "PortFault";
  readonly code = "PORT_UNAVAILABLE";
}
