/** The part of a Gemini request that a cached content holds. */
import { isRecord } from "../utils/is-object.js";

type Fields = Record<string, unknown>;

/** Identifies what is cached, without keeping it. */
export interface ContentPrefix {
  /** SHA-256 of system instruction, tools and tool settings, as hexadecimal text. */
  instructions: string;
  /** How many entries of `contents` are cached. */
  length: number;
  /** SHA-256 of these entries, as hexadecimal text. */
  contents: string;
}

/** The prefix that a request consists of. */
export async function toPrefix(body: Fields): Promise<ContentPrefix> {
  const contents = contentsOf(body);
  return {
    instructions: await hashInstructions(body),
    length: contents.length,
    contents: await hash(contents),
  };
}

/**
 * The body with the cached content in place of what it holds; undefined if the request does not begin with that. System
 * instruction and tools must not be sent again (ai.google.dev, "Context caching", 2026-11: "CachedContent can not be used
 * with GenerateContent request setting system_instruction, tools or tool_config").
 */
export async function replacePrefix(body: unknown, name: string, prefix: ContentPrefix): Promise<Fields | undefined> {
  if (!isRecord(body)) return undefined;
  const { contents: _, systemInstruction: _system, tools: _tools, toolConfig: _config, ...rest } = body;
  const contents = contentsOf(body);
  // The server refuses a request without contents of its own.
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
