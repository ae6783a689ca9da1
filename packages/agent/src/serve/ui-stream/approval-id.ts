/**
 * The id of an approval in a page. That of a signed request holds all that its signature needs, because the page keeps nothing
 * else of it: the AI SDK's own field for a signature has no place for the time and for what counts after it.
 */
import { DEFAULT_MAX_JSON_DEPTH, isDeeperThan, isRecord } from "pi-ai/call";
import type { PauseRequest } from "../../types/pause.js";

const SIGNED = /^signed\.(\d*)(?:~([^.]*))?\.([\w-]+\.[\w-]+)\.(.+)$/s;

export function toApprovalId({ id, expiresAt, signature, default: fallback }: PauseRequest): string {
  if (signature === undefined) return id;
  const after = fallback ? `~${encodeURIComponent(JSON.stringify(fallback)).replaceAll(".", "%2E")}` : "";
  return `signed.${expiresAt ?? ""}${after}.${signature}.${id}`;
}

/** The contents of an id. Without a signature it is the id of a request, or the name of the signal of a durable run. */
export function readApprovalId(
  approvalId: string,
): Pick<PauseRequest, "id" | "expiresAt" | "signature"> & { default?: NonNullable<PauseRequest["default"]> } {
  const [, time, after, signature, id] = SIGNED.exec(approvalId) ?? [];
  if (signature === undefined || id === undefined) return { id: approvalId };
  const fallback = after ? readDefault(after) : undefined;
  return { id, signature, ...(time && { expiresAt: Number(time) }), ...(fallback && { default: fallback }) };
}

/** Undefined for what the page has changed beyond reading: the signature of the request does not fit then. */
function readDefault(text: string): NonNullable<PauseRequest["default"]> | undefined {
  try {
    const read: unknown = JSON.parse(decodeURIComponent(text));
    if (!isRecord(read) || isDeeperThan(read, DEFAULT_MAX_JSON_DEPTH + 1)) return undefined;
    // Its fields are checked where they are read, and nothing runs before the signature is.
    return read as unknown as NonNullable<PauseRequest["default"]>;
  } catch {
    return undefined;
  }
}
