/** Server-sent events as text, for hand-written answers. */

/** `data: <json>`, with an `event:` line where a name is given. */
export function sseEvent(data: unknown, name?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}
