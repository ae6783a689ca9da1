/** What the fault server was asked. */
export interface FaultRequest {
  /** With the prefix that names the exchange. */
  path: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  body: string;
}
