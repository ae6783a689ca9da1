/**
 * Facts that servers on one's own machine state by interfaces of their own: the context that is loaded, which is
 * often shorter than what the model was trained for, and whether it takes tools and images, and thinks.
 */
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { isText, textIn } from "../utils/read-text.js";
import { type Fields, flagIn, inputsIn, type ListedModel, listIn, recordIn, tokensIn, visionInput } from "./facts.js";
import { readGenericEntry } from "./generic-entry.js";
import type { ListClient } from "./list-client.js";

/** The kinds of servers that are recognized. */
export type ServerName = "llama.cpp" | "LM Studio" | "Ollama" | "vLLM" | "SGLang";

/** The models of a server with an interface of its own. */
export interface LocalList {
  server: ServerName;
  models: (ListedModel | undefined)[];
}

/** The names by which servers own the models of `/v1/models` (their sources, 2026-11). */
const OWNERS: Readonly<Record<string, ServerName>> = {
  llamacpp: "llama.cpp",
  library: "Ollama",
  organization_owner: "LM Studio",
  vllm: "vLLM",
  sglang: "SGLang",
};

/** The server that owns the models of a list; undefined if no name is known. */
export function serverOf(items: readonly unknown[]): ServerName | undefined {
  for (const item of items) {
    const owner = textIn(recordIn(item)["owned_by"]);
    if (Object.hasOwn(OWNERS, owner)) return OWNERS[owner];
  }
  return undefined;
}

/** More models are listed without what the server says about each. */
const MAX_DETAILS = 100;
/** Requests for details at the same time. */
const CONCURRENCY = 8;

/**
 * Asks the server for what `/v1/models` does not say.
 *
 * @param root the address without `/v1`
 * @param items the entries of `/v1/models`
 * @returns undefined for a server without an interface of its own
 */
export async function readLocalList(
  client: ListClient,
  root: string,
  items: unknown[],
): Promise<LocalList | undefined> {
  const server = serverOf(items);
  if (server === "llama.cpp") return { server, models: await readLlamaModels(client, root, items) };
  if (server === "vLLM" || server === "SGLang") {
    return { server, models: items.map((item) => (isRecord(item) ? readGenericEntry(item) : undefined)) };
  }
  return (await readLmStudio(client, root, server)) ?? (await readOllama(client, root, server));
}

/** The body, or undefined: a server without the interface answers with an error or a page. */
async function tryJson(client: ListClient, url: string, body?: object): Promise<Fields | undefined> {
  try {
    const value = await client.json(url, body);
    return isRecord(value) ? value : undefined;
  } catch {
    client.throwIfAborted();
    return undefined;
  }
}

/** Reads the details of each item, a few at a time. */
async function readEach<TItem, TResult>(
  items: readonly TItem[],
  read: (item: TItem, index: number) => Promise<TResult>,
): Promise<TResult[]> {
  const results: TResult[] = [];
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    const batch = items.slice(start, start + CONCURRENCY);
    results.push(...(await Promise.all(batch.map((item, index) => read(item, start + index)))));
  }
  return results;
}

// llama.cpp: tools/server/server-context.cpp and server-models.cpp (2026-11). A router has several models, and loads one when
// it is asked for its properties, unless `autoload=false`.

async function readLlamaModels(client: ListClient, root: string, items: unknown[]): Promise<ListedModel[]> {
  const entries = items.filter(isRecord);
  const isRouter = entries.some(({ status }) => isRecord(status));
  return readEach(entries, async (entry, index) => {
    const id = textIn(entry["id"]);
    const isLoaded = !isRouter || ["loaded", "sleeping"].includes(textIn(recordIn(entry["status"])["value"]));
    const query = isRouter ? `?model=${encodeURIComponent(id)}&autoload=false` : "";
    const props = isLoaded && index < MAX_DETAILS ? await tryJson(client, `${root}/props${query}`) : undefined;
    return readLlamaModel(entry, props ?? {});
  });
}

function readLlamaModel(entry: Fields, props: Fields): ListedModel {
  const id = textIn(entry["id"]);
  const meta = recordIn(entry["meta"]);
  const loaded = recordIn(props["default_generation_settings"])["n_ctx"];
  const template = textIn(props["chat_template"]);
  const abilities = recordIn(props["chat_template_caps"]);
  return {
    id,
    name: fileName(id),
    contextWindow: tokensIn(meta["n_ctx"]) ?? tokensIn(loaded) ?? askedContext(entry) ?? tokensIn(meta["n_ctx_train"]),
    reasoning: template === "" ? undefined : /enable_thinking|<think>|reasoning_content/.test(template),
    input:
      visionInput(recordIn(props["modalities"])["vision"]) ??
      inputsIn(recordIn(entry["architecture"])["input_modalities"]),
    tools: flagIn(abilities["supports_tools"]) ?? flagIn(abilities["supports_tool_calls"]),
  };
}

/** The context of one slot of a model that is not loaded, by the arguments with which it starts. */
function askedContext(entry: Fields): number | undefined {
  const args = listIn(recordIn(entry["status"])["args"]);
  const argument = (name: string): number | undefined => tokensIn(args[args.indexOf(name) + 1]);
  const context = args.includes("--ctx-size") ? argument("--ctx-size") : undefined;
  const slots = args.includes("--parallel") ? argument("--parallel") : undefined;
  return context === undefined ? undefined : Math.floor(context / (slots ?? 1)) || undefined;
}

/** A model without an alias is named by the path of its file. */
function fileName(id: string): string {
  return id.replace(/^.*[\\/](?=[^\\/]*\.gguf$)/i, "").replace(/\.gguf$/i, "");
}

// LM Studio: lmstudio.ai/docs/developer/rest/list, and the older `/api/v0/models` (2026-11).

async function readLmStudio(
  client: ListClient,
  root: string,
  server: ServerName | undefined,
): Promise<LocalList | undefined> {
  if (server !== undefined && server !== "LM Studio") return undefined;
  const { models } = (await tryJson(client, `${root}/api/v1/models`)) ?? {};
  if (isListOf(models, "key")) return { server: "LM Studio", models: models.map(readLmStudioModel) };
  const { data } = (await tryJson(client, `${root}/api/v0/models`)) ?? {};
  return isListOf(data, "state") ? { server: "LM Studio", models: data.map(readOldLmStudioModel) } : undefined;
}

function isListOf(value: unknown, field: string): value is Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && isText(one[field]));
}

function readLmStudioModel(entry: Fields): ListedModel | undefined {
  if (isText(entry["type"]) && entry["type"] !== "llm") return undefined;
  const capabilities = recordIn(entry["capabilities"]);
  const loaded = listIn(entry["loaded_instances"]).map(
    (instance) => tokensIn(recordIn(recordIn(instance)["config"])["context_length"]) ?? Number.POSITIVE_INFINITY,
  );
  const context = Math.min(...loaded);
  return {
    id: textIn(entry["key"]),
    name: textIn(entry["display_name"]),
    contextWindow: Number.isFinite(context) ? context : tokensIn(entry["max_context_length"]),
    reasoning: isRecord(entry["capabilities"]) ? isRecord(capabilities["reasoning"]) : undefined,
    input: visionInput(capabilities["vision"]),
    tools: flagIn(capabilities["trained_for_tool_use"]),
  };
}

function readOldLmStudioModel(entry: Fields): ListedModel | undefined {
  const { type } = entry;
  if (isText(type) && type !== "llm" && type !== "vlm") return undefined;
  const { capabilities } = entry;
  return {
    id: textIn(entry["id"]),
    contextWindow: tokensIn(entry["loaded_context_length"]) ?? tokensIn(entry["max_context_length"]),
    input: visionInput(type === "vlm"),
    tools: Array.isArray(capabilities) ? capabilities.includes("tool_use") : undefined,
  };
}

// Ollama: docs/api.md, api/types.go and types/model/capability.go; the loaded context stands in `/api/ps` only (2026-11).

/** The context that Ollama loads with the least memory (docs/context-length.mdx, 2026-11). It silently drops the rest. */
const OLLAMA_CONTEXT = 4096;

async function readOllama(
  client: ListClient,
  root: string,
  server: ServerName | undefined,
): Promise<LocalList | undefined> {
  if (server !== undefined && server !== "Ollama") return undefined;
  const { models } = (await tryJson(client, `${root}/api/tags`)) ?? {};
  if (!isListOf(models, "name")) return undefined;
  const running = listIn((await tryJson(client, `${root}/api/ps`))?.["models"]).filter(isRecord);
  const loaded = new Map(running.map((one) => [textIn(one["name"]), tokensIn(one["context_length"])]));
  const read = await readEach(models, async (entry, index) => {
    const model = textIn(entry["model"]) || textIn(entry["name"]);
    const shown = index < MAX_DETAILS ? await tryJson(client, `${root}/api/show`, { model }) : undefined;
    return readOllamaModel({ ...entry, ...shown, model }, loaded.get(textIn(entry["name"])));
  });
  return { server: "Ollama", models: read };
}

function readOllamaModel(entry: Fields, loaded: number | undefined): ListedModel | undefined {
  const { capabilities } = entry;
  const known = Array.isArray(capabilities) ? capabilities : undefined;
  if (known && !known.includes("completion")) return undefined;
  const asked = tokensIn(/^\s*num_ctx\s+(\d{1,10})\s*$/m.exec(textIn(entry["parameters"]))?.[1]);
  return {
    id: textIn(entry["model"]),
    contextWindow: loaded ?? asked ?? Math.min(trainedContext(entry) ?? OLLAMA_CONTEXT, OLLAMA_CONTEXT),
    reasoning: known?.includes("thinking"),
    input: ollamaInput(known),
    tools: known?.includes("tools"),
  };
}

function ollamaInput(known: readonly unknown[] | undefined): Model["input"] | undefined {
  return known && inputsIn(["text", ...known]);
}

function trainedContext(entry: Fields): number | undefined {
  const info = recordIn(entry["model_info"]);
  const named = tokensIn(info[`${textIn(info["general.architecture"])}.context_length`]);
  return named ?? tokensIn(recordIn(entry["details"])["context_length"]);
}
