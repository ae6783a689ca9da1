/** Tests which model the demo takes: one of a server on this machine, or the scripted one. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "pi-agent";
import { findLocalServers } from "pi-ai/list-models";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { chooseModel } from "../../examples/demo/src/choose-model.js";

const ANSWER = { choices: [{ index: 0, delta: { content: "From home." }, finish_reason: "stop" }] };

/** A server like Ollama. */
const server = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { model = "" } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
  const bodies: Record<string, object> = {
    "/v1/models": {
      data: [
        { id: "words:1b", owned_by: "library" },
        { id: "tools:8b", owned_by: "library" },
      ],
    },
    "/api/tags": { models: ["words:1b", "tools:8b"].map((name) => ({ name, model: name })) },
    "/api/ps": { models: [] },
    "/api/show": { capabilities: model === "tools:8b" ? ["completion", "tools"] : ["completion"] },
  };
  const body = bodies[request.url ?? ""];
  if (body) response.end(JSON.stringify(body));
  else response.end(`data: ${JSON.stringify(ANSWER)}\n\ndata: [DONE]\n\n`);
});

let port = 0;
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port; // a TCP server's address is an object
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const here: typeof findLocalServers = () => findLocalServers({ ports: [port], timeoutMs: 10_000 });
const nowhere: typeof findLocalServers = async () => [];
const ANY = { provider: undefined, model: undefined };

function withoutKeys(): void {
  // biome-ignore lint/style/noProcessEnv: the keys of whoever runs the test.
  const names = Object.keys(process.env).filter((name) => /KEY|TOKEN|PROFILE|CREDENTIALS/.test(name));
  for (const name of names) vi.stubEnv(name, undefined);
}

it("uses a server on this machine if there is no key, and a model that can call tools", async () => {
  withoutKeys();
  const { model, note } = await chooseModel(ANY, here);
  expect(model).toMatchObject({ id: "tools:8b", provider: "local", baseUrl: `http://127.0.0.1:${port}/v1` });
  expect(note).toBe(`tools:8b (Ollama at http://127.0.0.1:${port}/v1)`);
  const agent = new Agent({ initialState: { model } });
  await agent.prompt("Hi");
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "stop", content: [{ text: "From home." }] });
});

it("talks to the scripted model if there is no server either", async () => {
  withoutKeys();
  const { model, close } = await chooseModel(ANY, nowhere);
  await close();
  expect(model.provider).toBe("scripted");
});

it("uses the server at an address, and the model that is asked for", async () => {
  const { model } = await chooseModel({ ...ANY, model: "words:1b", server: `http://127.0.0.1:${port}` }, nowhere);
  expect(model.id).toBe("words:1b");
  await expect(chooseModel({ provider: "local", model: "none" }, here)).rejects.toThrow(
    "has no model none; try words:1b",
  );
  await expect(chooseModel({ ...ANY, provider: "local" }, nowhere)).rejects.toThrow(
    "no server on this machine has a model",
  );
});
