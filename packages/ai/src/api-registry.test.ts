import {
  type ApiProvider,
  AssistantMessageEventStream,
  clearApiProviders,
  getApiProvider,
  getApiProviders,
  type Model,
  registerApiProvider,
  type StreamOptions,
  unregisterApiProviders,
} from "pi-ai";
import { beforeEach, describe, expect, expectTypeOf, it } from "vitest";

beforeEach(clearApiProviders);

function createProvider(api: string): ApiProvider & { events: AssistantMessageEventStream } {
  const events = new AssistantMessageEventStream();
  return { api, events, stream: () => events, streamSimple: () => events };
}

function createModel(api: string): Model {
  return { api } as Model; // the registry reads no other field
}

describe("API registry", () => {
  it("returns the functions that were registered last under a name", () => {
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

  it("removes only what one source registered", () => {
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

it("accepts a provider with options of its own api", () => {
  interface OwnOptions extends StreamOptions {
    mood?: "calm" | "wild";
  }
  const events = new AssistantMessageEventStream();
  const provider: ApiProvider<"own", OwnOptions> = {
    api: "own",
    stream: (_model, _context, options) => {
      expectTypeOf(options?.mood).toEqualTypeOf<"calm" | "wild" | undefined>();
      return events;
    },
    streamSimple: () => events,
  };
  registerApiProvider(provider);
  expect(getApiProvider("own")?.stream(createModel("own"), { messages: [] }, { mood: "calm" })).toBe(events);
});
