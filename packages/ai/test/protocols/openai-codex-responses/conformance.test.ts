/**
 * Runs the conformance suite for ChatGPT's Responses API over HTTP, and over a WebSocket the part that needs no HTTP.
 */

import { cleanupSessionResources } from "pi-ai";
import { afterAll, beforeAll } from "vitest";
import type { WireResponse } from "../../conformance/http-target.js";
import { runAdapterConformance, runProviderConformance } from "../../conformance/run-conformance.js";
import type { PreparedRequest, ResponseName, Target } from "../../conformance/target.js";
import { CANARIES } from "../../support/credentials.js";
import { type ServerSocket, type SocketServer, serveSockets } from "../../support/socket-server.js";
import { openAICodexResponses as fixtures } from "./fixtures.js";

let server: SocketServer;
beforeAll(async () => {
  server = await serveSockets({ onMessage: play });
});
afterAll(async () => {
  cleanupSessionResources();
  await server[Symbol.asyncDispose]();
});

/** The path names the response, and whether its end is held back. */
function play(socket: ServerSocket): void {
  const [, name = "", held] = socket.path.split("/");
  const messages = messagesOf(fixtures.responses[name as ResponseName]); // the paths are created below
  for (const message of held === "held" ? messages.slice(0, -1) : messages) socket.send(message);
}

/** The data of each event. */
function messagesOf(response: WireResponse | undefined): string[] {
  return (response?.frames ?? []).map((frame) => /^data: (.*)$/m.exec(String(frame))?.[1] ?? "");
}

const overWebSocket: Target = {
  name: "openai-codex-responses over a WebSocket",
  responses: fixtures.responses,
  prepare: (name, { hold = false } = {}): PreparedRequest => ({
    model: { ...fixtures.model(""), baseUrl: `${server.url}/${name}/${hold ? "held" : "whole"}` },
    options: { apiKey: CANARIES.apiKey, maxRetries: 0, transport: "websocket" },
  }),
};

runAdapterConformance(fixtures);
runProviderConformance(overWebSocket);
