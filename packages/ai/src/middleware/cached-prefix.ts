/** The part of a request that a cached content holds. */
import { ConfigError } from "../errors.js";
import { isRecord } from "../utils/is-object.js";

type Fields = Record<string, unknown>;

/** Identifies the cached content by hashes, without a copy of it. */
export interface ContentPrefix {
  /** SHA-256 of system instruction, tools and tool settings, as hexadecimal text. */
  instructions: string;
  /** The number of cached entries of `contents`. */
  length: number;
  /** SHA-256 of these entries, as hexadecimal text. */
  contents: string;
}

/** The whole request as a prefix. */
export async function toPrefix(body: Fields): Promise<ContentPrefix> {
  const contents = contentsOf(body);
  return {
    instructions: await hashInstructions(body),
    length: contents.length,
    contents: await hash(contents),
  };
}

/**
 * Replaces the prefix of a body with the name of the cached content; undefined if the body does not begin with the
 * prefix. The system instruction and tools must not be sent again (ai.google.dev, "Context caching", 2026-11:
 * "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config").
 */
export async function replacePrefix(body: unknown, name: string, prefix: ContentPrefix): Promise<Fields | undefined> {
  if (!isRecord(body)) return undefined;
  const { contents: _, systemInstruction: _system, tools: _tools, toolConfig: _config, ...rest } = body;
  const contents = contentsOf(body);
  // The server rejects a request without contents of its own.
  if (contents.length <= prefix.length) return undefined;
  if ((await hashInstructions(body)) !== prefix.instructions) return undefined;
  if ((await hash(contents.slice(0, prefix.length))) !== prefix.contents) return undefined;
  return { ...rest, contents: contents.slice(prefix.length), cachedContent: name };
}

function contentsOf({ contents }: Fields): unknown[] {
  return Array.isArray(contents) ? contents : [];
}

function hashInstructions({ systemInstruction, tools, toolConfig }: Fields): Promise<string> {
  return hash({ systemInstruction, tools, toolConfig });
}

async function hash(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(value)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @throws ConfigError unless the argument is a cached content, for example for a promise of one */
export function checkContent<TCached>(cached: TCached): TCached {
  // JavaScript callers and stored data may be anything.
  const given: unknown = cached;
  if (isRecord(given) && isRecord(given["model"]) && isRecord(given["prefix"])) return cached;
  throw new ConfigError(`"cached" must be a cached content, as createCachedContent resolves to`);
}
