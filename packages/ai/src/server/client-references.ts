/**
 * References in the content of a client: files, containers and stores of the provider's account, and addresses. All users of
 * a relay share the account, and a self-hosted model server fetches addresses from inside of its network.
 */
import type { Context, ServerToolRequest, Tool } from "../types/context.js";
import type { Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { ACCOUNT_HOSTS, parsePublicAddress } from "../utils/public-address.js";
import { tryParseJson } from "../utils/read-text.js";
import { isJsonDeeperThan } from "../wire/index.js";
import type { ProxyHandlerOptions } from "./options.js";
import { Problem } from "./problem.js";

/** Decides which references are allowed. */
export interface ReferenceRules<TCaller> {
  options: Pick<ProxyHandlerOptions<TCaller>, "allowFile" | "allowAddress">;
  limits: { maxDepth: number };
}

/** The paths where each reference was found first. */
interface References {
  files: Map<string, string>;
  addresses: Map<string, string>;
}

/**
 * Fields of the wire formats that name something in the account of the provider, without underscores and in lower case: files and
 * their addresses, containers, stores, libraries, skills, connections, secrets, and earlier responses and conversations.
 */
const ACCOUNT_FIELD =
  /^(?:file(?:ids?|ur[il])|container(?:id)?|\w*store(?:ids?|names?)?|ragcorp(?:us|ora)|(?:library|collection|skill|document|(?:project)?connection|previousresponse|conversation)ids?|conversation|indexname|apikeysecretversion|serviceaccount|(?:image|server)?ur[il]|endpoint)$/;
/** The fields among them that may hold an address. */
const ADDRESS_FIELD = /(?:ur[il]|endpoint)$/i;

/**
 * @throws Problem 403 for a file that the caller may not use, 400 for an address that may not be fetched
 */
export async function checkReferences<TCaller>(
  context: Context,
  { model, caller }: { model: Model; caller: TCaller | undefined },
  { options: { allowFile, allowAddress }, limits }: ReferenceRules<TCaller>,
): Promise<void> {
  const { files, addresses } = findReferences(context, model, limits.maxDepth);
  for (const [id, path] of files) {
    if ((await allowFile?.(id, caller)) !== true)
      throw new Problem(403, `${path}: the file or resource ${quote(id)} may not be used here`);
  }
  for (const [address, path] of addresses) {
    const isAllowed = allowAddress
      ? (await allowAddress(address, caller)) === true
      : parsePublicAddress(address) !== undefined;
    if (!isAllowed) throw new Problem(400, `${path}: the address ${quote(address)} may not be fetched from here`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function findReferences({ messages, tools = [] }: Context, model: Model, maxDepth: number): References {
  const search = new ReferenceSearch(model, maxDepth);
  for (const [index, message] of messages.entries()) search.readMessage(message, `context.messages.${index}`);
  for (const [index, { server }] of tools.entries()) {
    if (server) search.readServerTool(server, `context.tools.${index}.server`);
  }
  return search.found;
}

class ReferenceSearch {
  readonly found: References = { files: new Map(), addresses: new Map() };
  readonly #host: string;
  readonly #maxDepth: number;

  constructor({ baseUrl }: Model, maxDepth: number) {
    this.#host = URL.canParse(baseUrl) ? new URL(baseUrl).host : "";
    this.#maxDepth = maxDepth;
  }

  readMessage(message: Message, path: string): void {
    if (message.role === "assistant" && message.container) this.#addFile(message.container.id, `${path}.container`);
    if (typeof message.content === "string") return;
    for (const [index, block] of message.content.entries()) {
      const place = `${path}.content.${index}`;
      if (block.type === "file") {
        if (block.fileId !== undefined) this.#addFile(block.fileId, `${place}.fileId`);
        if (block.url !== undefined) this.#addAddress(block.url, `${place}.url`);
      }
      this.#readSignatures(block, place);
    }
  }

  readServerTool(server: NonNullable<Tool["server"]>, path: string): void {
    const tool: ServerToolRequest = server;
    if (tool.kind === "fileSearch") for (const id of tool.storeIds) this.#addFile(id, `${path}.storeIds`);
    else if (tool.kind === "mcpServer") this.#addAddress(tool.url, `${path}.url`);
    else if (tool.kind === "declared") this.#readRaw(tool.declaration, `${path}.declaration`);
  }

  /** Signatures hold what the provider sent, and adapters send it back as it is. A client may have written it itself. */
  #readSignatures(block: object, path: string): void {
    for (const [name, value] of Object.entries(block)) {
      const place = `${path}.${name}`;
      if (name === "citations" && Array.isArray(value)) {
        for (const citation of value) this.#readSignatures(Object(citation), place);
      } else if (name === "caller") this.#readRaw(value, place);
      else if (/signature$/i.test(name) && typeof value === "string") this.#readSignature(value, place);
    }
  }

  #readSignature(text: string, path: string): void {
    if (!/[[{]/.test(text)) return;
    if (isJsonDeeperThan(text, this.#maxDepth))
      throw new Problem(400, `${path}: nested deeper than ${this.#maxDepth} levels`);
    this.#readRaw(tryParseJson(text), path);
  }

  /** Reads parts of a request in the format of any provider. */
  #readRaw(value: unknown, path: string): void {
    if (Array.isArray(value)) for (const item of value) this.#readRaw(item, path);
    if (!isRecord(value)) return;
    if (value["type"] === "item_reference") this.#addAny("id", value["id"], path);
    for (const [name, field] of Object.entries(value)) {
      // Elsewhere, an engine is a kind of search.
      const isEngine = name === "engine" && /^projects\//.test(String(field));
      if (isEngine || ACCOUNT_FIELD.test(name.replaceAll("_", "").toLowerCase()))
        for (const one of [field].flat()) this.#addAny(name, one, `${path}.${name}`);
      this.#readRaw(field, path);
    }
  }

  #addAny(name: string, value: unknown, path: string): void {
    if (typeof value !== "string" || value === "") return;
    if (ADDRESS_FIELD.test(name)) this.#addAddress(value, path);
    else this.#addFile(value, path);
  }

  #addFile(id: string, path: string): void {
    if (!this.found.files.has(id)) this.found.files.set(id, path);
  }

  /** An address at the provider itself, or of a store of files, names what only the account can read. */
  #addAddress(address: string, path: string): void {
    if (/^data:/i.test(address)) return;
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
    if (!isWeb || url.host === this.#host || ACCOUNT_HOSTS.has(url.hostname)) this.#addFile(address, path);
    else if (!this.found.addresses.has(address)) this.found.addresses.set(address, path);
  }
}
