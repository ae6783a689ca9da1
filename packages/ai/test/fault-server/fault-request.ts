/** A request to the fault server. */
export interface FaultRequest {
  /** With the prefix that identifies the exchange. */
  path: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  body: string;
}
