/** Adds the tools that a provider runs to a request. */
import { ConfigError } from "../../errors.js";
import { listOf, mergeFields, type RequestNote, type WireRequest, withBetas } from "../../transport/index.js";
import type { Context, PortableServerTool, ServerToolRequest } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import type { Declaration, Kind, Row, ServerToolRows } from "./server-tool-rows.js";

type Fields = Record<string, unknown>;

const NAMES: Readonly<Record<PortableServerTool["kind"], string>> = {
  webSearch: "web search",
  codeExecution: "code execution",
  fileSearch: "file search",
  mcpServer: "MCP connector",
  toolSearch: "tool search",
};

/** Of an api that names no tools: a declared tool becomes an entry of `tools`. */
const NO_ROWS: ServerToolRows = { tools: {} };

/** The declarations of a request, ready to be added to it. */
export interface ServerTools<TRequest> {
  /** The request with the tools of the application only, as adapters see it. */
  own: TRequest;
  /** The credentials in the declarations, which must appear in no message. */
  secrets: string[];
  /** The request with the declarations. */
  addTo(request: WireRequest): WireRequest;
}

/**
 * Finds how the model's api declares each tool.
 *
 * @param rows the tools of the api
 * @throws ConfigError for a tool that the model does not have
 */
export function declareServerTools<TRequest extends { model: Model; context: Context }>(
  request: TRequest,
  rows: ServerToolRows = NO_ROWS,
): ServerTools<TRequest> {
  const { model, context } = request;
  const { tools = [], ...rest } = context;
  const requests = tools.flatMap(({ server }) => (server ? [server] : []));
  const ownTools = tools.filter(({ server }) => !server);
  const hasOwnTools = ownTools.length > 0;
  if (hasOwnTools && rows.combines && !rows.combines.test(model.id)) {
    throw new ConfigError(
      `The model ${model.id} does not take tools of the application beside those of its provider. Leave one kind out.`,
    );
  }
  const declarations = requests.map((server) => declare(server, model, rows));
  return {
    own: { ...request, context: hasOwnTools ? { ...rest, tools: ownTools } : rest },
    secrets: requests.flatMap((server) =>
      server.kind === "mcpServer" && server.authorizationToken ? [server.authorizationToken] : [],
    ),
    addTo: (wireRequest) => add(wireRequest, declarations, hasOwnTools ? rows : { ...rows, combined: {} }),
  };
}

function declare(request: ServerToolRequest, model: Model, rows: ServerToolRows): Declaration {
  if (request.kind !== "declared") return declarePortable(request, model, rows);
  const { api, declaration, betas = [] } = request;
  if (api !== model.api) {
    throw new ConfigError(`A server tool is declared for the api ${api}, but the model ${model.id} has ${model.api}.`);
  }
  const known = ownValue(rows.betas ?? {}, declaration["type"]);
  return { tools: [declaration], betas: known ? [...betas, known] : [...betas] };
}

function declarePortable(request: PortableServerTool, model: Model, { tools }: ServerToolRows): Declaration {
  // The row of a kind takes the options of that kind.
  const row = tools[request.kind] as Row<PortableServerTool["kind"]> | undefined;
  if (!row?.providers.includes(model.provider) || !isOneOf(row.models, model)) {
    throw new ConfigError(
      `The model ${model.id} of ${model.provider} has no ${NAMES[request.kind]}. Use another model, a tool of your own, or serverTool("${model.api}", declaration).`,
    );
  }
  const refused = row.refused?.find((option) => Reflect.get(request, option));
  if (refused !== undefined) {
    throw new ConfigError(`The ${NAMES[request.kind]} of ${model.provider} has no option ${refused}.`);
  }
  return row.declare(request);
}

function isOneOf(models: Row<Kind>["models"], model: Model): boolean {
  return typeof models === "function" ? models(model) : (models?.test(model.id) ?? true);
}

function add(
  request: WireRequest,
  declarations: readonly Declaration[],
  { holder, combined = {} }: ServerToolRows,
): WireRequest {
  const body: Fields = isRecord(request.body) ? { ...request.body } : {};
  const inner = holder === undefined ? body : { ...(isRecord(body[holder]) ? body[holder] : {}) };
  const tools = declarations.flatMap((declaration) => declaration.tools ?? []);
  // In front, so that a cache marker on the last tool covers them. An adapter may have declared a tool that the history uses.
  const declared = new Set(tools.map((tool) => JSON.stringify(tool)));
  const others = listOf(inner["tools"]).filter((tool) => !declared.has(JSON.stringify(tool)));
  if (tools.length > 0) inner["tools"] = [...tools, ...others];
  mergeFields(inner, combined);
  if (holder !== undefined) body[holder] = inner;
  for (const declaration of declarations) mergeFields(body, declaration.body ?? {});
  const ignored = declarations.flatMap((declaration) => declaration.ignored ?? []);
  const notes: RequestNote[] = ignored.length > 0 ? [{ type: "server_tool_option", details: { ignored } }] : [];
  return {
    ...request,
    body,
    headers: withBetas(
      request.headers,
      declarations.flatMap((declaration) => declaration.betas ?? []),
    ),
    notes: [...(request.notes ?? []), ...notes],
  };
}
