/** Repairs a request whose choice of tools Gemini refuses. */
import type { PiError } from "../../errors.js";
import { listOf, type WireRequest } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";

/**
 * With the mode `VALIDATED` the server turns the schemas of the tools into rules for what the model writes, and refuses some
 * that it takes otherwise (googleapis/python-genai#2293 of the mode `ANY`, 2026-04). The request is sent once more with the tools
 * that may be called, and without the mode. Undefined for a request without it.
 */
export async function repairChoice(_error: PiError, request: WireRequest): Promise<WireRequest | undefined> {
  const { body } = request;
  if (!isRecord(body) || !isRecord(body["toolConfig"])) return undefined;
  const { toolConfig: _, tools, ...rest } = body;
  const { functionCallingConfig: config, ...others } = body["toolConfig"];
  if (!isRecord(config) || config["mode"] !== "VALIDATED" || !Array.isArray(config["allowedFunctionNames"]))
    return undefined;
  const names = new Set<unknown>(config["allowedFunctionNames"]);
  const allowed = listOf(tools).map((group) => {
    if (!isRecord(group) || !group["functionDeclarations"]) return group;
    const functionDeclarations = listOf(group["functionDeclarations"]).filter(
      (declaration) => isRecord(declaration) && names.has(declaration["name"]),
    );
    return { ...group, functionDeclarations };
  });
  const notes = [{ type: "tool_choice_relaxed", details: { toolChoice: config, sent: "auto" } }];
  const kept = Object.keys(others).length > 0 ? { toolConfig: others } : {};
  return { ...request, body: { ...rest, tools: allowed, ...kept }, notes };
}
