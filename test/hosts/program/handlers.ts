/** The endpoints of a web application: the program, a conversation for `useChat`, and the relay. */
import { uiMessageResponse } from "pi-agent/ui-stream";
import { getModel } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { createAgent, runConversation } from "./conversation.js";

/** A server-side address: the runner's, from the `vendor` parameter of the request's URL. */
function vendorOf(request: Request): string {
  return new URL(request.url).searchParams.get("vendor") ?? "";
}

export async function program(request: Request): Promise<Response> {
  try {
    return Response.json(await runConversation(vendorOf(request)));
  } catch (error) {
    return Response.json({ failed: String(error) }, { status: 500 });
  }
}

export async function chat(request: Request): Promise<Response> {
  const agent = createAgent({ ...getModel("anthropic", "claude-sonnet-4-6"), baseUrl: vendorOf(request) });
  return uiMessageResponse(agent, { request, run: () => agent.prompt("WEATHER") });
}

export function relay(request: Request, context?: { params?: unknown }): Promise<Response> {
  const handler = createProxyHandler({
    authorize: "relay-token",
    allowModels: ["anthropic/*"],
    getApiKey: () => "test-key",
    getModel: () => ({ ...getModel("anthropic", "claude-sonnet-4-6"), baseUrl: vendorOf(request) }),
  });
  return handler(request, context);
}
