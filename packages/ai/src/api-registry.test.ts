import { beforeEach, describe, expect, it } from "vitest";
import {
  type ApiProvider,
  clearApiProviders,
  getApiProvider,
  getApiProviders,
  registerApiProvider,
  unregisterApiProviders,
} from "./api-registry.js";
import { AssistantMessageEventStream } from "./event-stream/assistant-message-event-stream.js";
import type { Model } from "./types/model.js";

beforeEach(clearApiProviders);

function createProvider(api: string): ApiProvider & { events: AssistantMessageEventStream } {
  const events = new AssistantMessageEventStream();
  return { api, events, stream: () => events, streamSimple: () => events };
}

function createModel(api: string): Model {
  return { api } as Model; // the registry looks at nothing else
}

describe("API registry", () => {
  it("finds what was registered, the last one under a name", () => {
    const [first, second, other] = [createProvider("a"), createProvider("a"), createProvider("b")];
    for (const provider of [first, second, other]) registerApiProvider(provider);
    expect(getApiProvider("a")?.stream(createModel("a"), { messages: [] })).toBe(second.events);
    expect(getApiProvider("a")?.streamSimple(createModel("a"), { messages: [] })).toBe(second.events);
    expect(getApiProviders().map((provider) => provider.api)).toEqual(["a", "b"]);
    expect(getApiProvider("c")).toBeUndefined();
    expect(getApiProvider("constructor")).toBeUndefined();
  });

  it("throws at once for a model of another api", () => {
    registerApiProvider(createProvider("a"));
    const registered = getApiProvider("a");
    expect(() => registered?.stream(createModel("b"), { messages: [] })).toThrow("Mismatched api: b expected a");
    expect(() => registered?.streamSimple(createModel("b"), { messages: [] })).toThrow("Mismatched api: b expected a");
  });

  it("removes what one source registered, and nothing else", () => {
    registerApiProvider(createProvider("a"), "plugin");
    registerApiProvider(createProvider("b"));
    registerApiProvider(createProvider("c"), "plugin");
    registerApiProvider(createProvider("c"), "other");
    unregisterApiProviders("plugin");
    expect(getApiProviders().map((provider) => provider.api)).toEqual(["b", "c"]);
    clearApiProviders();
    expect(getApiProviders()).toEqual([]);
  });
});
