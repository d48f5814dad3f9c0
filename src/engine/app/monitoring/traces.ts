// Traces: the span of a request, with what it waited for and what it caused, for whoever collects them. The parts that have spans know
// only these types.

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TraceSpan {
  /** As the header `traceparent` of W3C Trace Context carries it. */
  readonly traceparent: string;
  /** `client`: around a request that leaves this process. */
  child(name: string, attributes?: Attributes, kind?: "client"): TraceSpan;
  /** A child around what is waited for; a failure ends it as failed. */
  wrap<T>(name: string, work: Promise<T>): Promise<T>;
  name(name: string): void;
  end(attributes?: Attributes, failure?: string): void;
}

export interface Traces {
  /** Of a request that came, in the trace that it belongs to, where it says so. */
  begin(name: string, traceparent: string | undefined): TraceSpan;
  /** What a request causes later belongs to its trace: the span of the latest requests is remembered by their ids. */
  remember(id: string, span: TraceSpan): void;
  /** Of something caused by a request, or by nothing that is remembered. */
  causedBy(id: string | undefined, name: string, attributes: Attributes): TraceSpan;
  /** Sends what is not sent yet, within two seconds. */
  close(): Promise<void>;
}
