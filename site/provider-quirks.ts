/**
 * What a host does differently from a server of the same api that the library does not know, and what the flags that say so
 * mean: from the tables and the comments in `packages/ai/src/catalogue/compat`.
 */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Api, Model } from "pi-ai";
import {
  resolveAnthropicFlags,
  resolveBedrockFlags,
  resolveCompletionsFlags,
  resolveGoogleFlags,
  resolveMistralFlags,
  resolveResponsesFlags,
} from "../packages/ai/src/catalogue/compat/index.ts";

export interface Quirk {
  flag: string;
  /** As a program would write it. */
  value: string;
  /** The ids of the models with this value. */
  models: string[];
  meaning: string;
}

interface Flags {
  resolve(model: Model): object;
  /** The interfaces with the comments of the flags, the first one that has a flag. */
  interfaces: readonly string[];
}

const SOURCES = new URL("../packages/ai/src/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, SOURCES), "utf8");

const FACTS = "catalogue/compat/family.ts ModelFacts";
const CHAT: Flags = {
  resolve: resolveCompletionsFlags,
  interfaces: ["catalogue/compat/host.ts CompletionsFlags", "types/compat.ts OpenAICompletionsCompat", FACTS],
};
const RESPONSES: Flags = {
  resolve: resolveResponsesFlags,
  interfaces: ["catalogue/compat/host.ts ResponsesFlags", "types/compat.ts OpenAIResponsesCompat", FACTS],
};
const GOOGLE: Flags = { resolve: resolveGoogleFlags, interfaces: ["catalogue/compat/google-flags.ts GoogleFlags"] };

const FLAGS: Readonly<Record<string, Flags>> = {
  "anthropic-messages": {
    resolve: resolveAnthropicFlags,
    interfaces: ["catalogue/compat/anthropic.ts AnthropicFlags", "types/compat.ts AnthropicMessagesCompat"],
  },
  "azure-openai-responses": RESPONSES,
  "bedrock-converse-stream": {
    resolve: (model) => resolveBedrockFlags(model),
    interfaces: ["catalogue/compat/bedrock.ts BedrockFlags"],
  },
  "google-generative-ai": GOOGLE,
  "google-vertex": GOOGLE,
  "mistral-conversations": {
    resolve: resolveMistralFlags,
    interfaces: ["types/compat.ts MistralConversationsCompat"],
  },
  "openai-codex-responses": RESPONSES,
  "openai-completions": CHAT,
  "openai-responses": RESPONSES,
};

/** The quirks of the models of one provider with one api, in the order in which the models meet them. */
export function listQuirks(models: readonly Model[], api: Api): Quirk[] {
  const flags = FLAGS[api];
  if (!flags) throw new Error(`site/provider-quirks.ts has no row for the api ${api}`);
  const meanings = flags.interfaces.map(commentsOf);
  const quirks = new Map<string, Quirk>();
  for (const model of models) {
    for (const [flag, found] of differences(model, flags)) {
      const value = describe(found);
      const meaning = meanings.find((own) => own.has(flag))?.get(flag);
      // Rows of the catalogue have flags of other libraries, too.
      if (meaning === undefined) continue;
      const quirk = quirks.get(`${flag} ${value}`) ?? { flag, value, models: [], meaning };
      quirk.models.push(model.id);
      quirks.set(`${flag} ${value}`, quirk);
    }
  }
  return [...quirks.values()];
}

/** The flags of a model that differ from those of the same model at a host that no row knows. */
function differences(model: Model, { resolve }: Flags): [string, unknown][] {
  const { compat: _, ...plain } = model;
  const elsewhere = new Map<string, unknown>(
    Object.entries(resolve({ ...plain, provider: "elsewhere", baseUrl: "https://elsewhere.test" })),
  );
  return Object.entries(resolve(model)).filter(([flag, value]) => !isDeepStrictEqual(value, elsewhere.get(flag)));
}

function describe(value: unknown): string {
  if (typeof value === "function") return "its own";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "none";
  if (Object.values(value).some((part) => typeof part === "function")) return "its own";
  return JSON.stringify(value, (_name, part) => (part === Number.POSITIVE_INFINITY ? "unlimited" : part));
}

const comments = new Map<string, ReadonlyMap<string, string>>();

/** The comments of the members of an interface, each on one line. */
function commentsOf(place: string): ReadonlyMap<string, string> {
  const known = comments.get(place);
  if (known) return known;
  const [file = "", name = ""] = place.split(" ");
  const [, body] = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(read(file)) ?? [];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  const members = [...body.matchAll(/^ {2}\/\*\*(.*?)\*\/\n {2}(\w+)\??:/gms)];
  const found = new Map(members.map(([, text = "", member = ""]) => [member, onOneLine(text)]));
  comments.set(place, found);
  return found;
}

function onOneLine(comment: string): string {
  const words = comment.replaceAll(/^\s*\*(?= |$)/gm, "").replaceAll(/\{@link (\w+)\}/g, "`$1`");
  return words.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

/** The sources of what is known about a provider's host: the comment of its row in the table of hosts. */
export function sourceOf(provider: string): string | undefined {
  let comment: string[] = [];
  for (const line of read("catalogue/compat/hosts.ts").split("\n")) {
    const [, text] = /^ {2}\/\/ (.*)$/.exec(line) ?? [];
    if (text !== undefined) comment.push(text);
    // A row begins below its comment, and ends before the next one.
    else if (/^ {2}\}/.test(line)) comment = [];
    else if (new RegExp(`(?:^|[{ ])"?${provider}"?: \\{(?: keys|$)`).test(line)) return comment.join(" ");
    if (text === undefined && /^ {2}\{ .* \},$/.test(line)) comment = [];
  }
  return undefined;
}
