import { findLocalServers } from "pi-ai/list-models";
import { describe, expect, it } from "vitest";
import { serveResponse } from "../../test/support/local-response.js";

const portOf = (url: string): number => Number(new URL(url).port);

describe("findLocalServers", () => {
  it("returns the servers that have models, and leaves out everything else", async () => {
    const body = JSON.stringify({ data: [{ id: "m", owned_by: "vllm", max_model_len: 5000 }] });
    await using models = await serveResponse({ body });
    await using page = await serveResponse({ body: "<html></html>" });
    await using locked = await serveResponse({ status: 401, body: "{}" });
    await using empty = await serveResponse({ body: '{"data":[]}' });
    await using away = await serveResponse({
      status: 302,
      headers: { location: "http://192.0.2.1/v1/models" },
      body: "",
    });
    const servers = [page, locked, models, empty, away];
    const found = await findLocalServers({ ports: [...servers.map(({ url }) => portOf(url)), 1], timeoutMs: 10_000 });
    expect(found).toMatchObject([
      { name: "vLLM", baseUrl: `${models.url}/v1`, models: [{ id: "m", provider: "local", contextWindow: 5000 }] },
    ]);
    expect(locked.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it("asks the usual ports of this machine only", async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      throw new TypeError("refused");
    };
    expect(await findLocalServers({ fetch })).toEqual([]);
    expect(asked.sort()).toEqual(
      [11434, 1234, 30000, 8000, 8080].map((port) => `http://127.0.0.1:${port}/v1/models`).sort(),
    );
  });

  it("does not wait for a server that hangs", async () => {
    expect(await findLocalServers({ fetch: () => new Promise(() => {}), ports: [9], timeoutMs: 5 })).toEqual([]);
  });

  it("ends when it is aborted", async () => {
    const controller = new AbortController();
    const fetch: typeof globalThis.fetch = () => new Promise(() => {});
    const finding = findLocalServers({ fetch, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(finding).rejects.toThrow("enough");
  });
});
