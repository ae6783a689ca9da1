/**
 * The id of an approval in a page. That of a signed request holds all that its signature needs, because the page keeps nothing
 * else of it: the AI SDK's own field for a signature has no place for the time.
 */
import type { PauseRequest } from "../../types/pause.js";

const SIGNED = /^signed\.(\d*)\.([\w-]+\.[\w-]+)\.(.+)$/s;

export function toApprovalId({ id, expiresAt, signature }: PauseRequest): string {
  return signature === undefined ? id : `signed.${expiresAt ?? ""}.${signature}.${id}`;
}

/** What an id says. Without a signature it is the id of a request, or the name of the signal of a durable run. */
export function readApprovalId(approvalId: string): Pick<PauseRequest, "id" | "expiresAt" | "signature"> {
  const [, time, signature, id] = SIGNED.exec(approvalId) ?? [];
  if (signature === undefined || id === undefined) return { id: approvalId };
  return { id, signature, ...(time && { expiresAt: Number(time) }) };
}
