/** What a real server of llama.cpp says about its models. */
import { complete } from "pi-ai";
import { findLocalServers, listModels } from "pi-ai/list-models";
import { describe, expect, it } from "vitest";
import { hasLlamaServer, SKIPPED, startLlama } from "./llama-server.js";

describe.skipIf(!hasLlamaServer)(`listModels of llama.cpp${SKIPPED}`, () => {
  it("takes the context of a slot and the abilities of the template, and the model answers", async () => {
    const server = await startLlama({ template: "Qwen-Qwen3-0.6B", args: ["-c", "8192", "-np", "2"] });
    try {
      const [model, ...others] = await listModels({ baseUrl: server.url });
      expect(others).toEqual([]);
      expect(model).toMatchObject({ contextWindow: 4096, maxTokens: 2048, reasoning: true, input: ["text"] });
      if (!model) return;
      const { stopReason, usage } = await complete(model, "Hi", { maxTokens: 8 });
      expect(stopReason).not.toBe("error");
      expect(usage.output).toBeGreaterThan(0);
      const found = await findLocalServers({ ports: [Number(new URL(server.url).port)], timeoutMs: 10_000 });
      expect(found).toMatchObject([{ name: "llama.cpp", models: [{ id: model.id }] }]);
    } finally {
      await server.stop();
    }
  });
});
