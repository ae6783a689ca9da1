/** Writes server-sent events for hand-written responses. */

/** `data: <json>`, with an `event:` line if a name is given. */
export function sseEvent(data: unknown, name?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}
