/**
 * The trace of an agent with OpenTelemetry itself: its exporter, its list of attribute names, and the converter of
 * OpenInference as a reader of the spans. Needs npm.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Agent } from "pi-agent";
import { trace } from "pi-agent/otel";
import { fauxAssistantMessage, fauxToolCall, Type } from "pi-ai";
import type { OtelApi } from "pi-ai/otel";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "./support/patience.js";

const FOLDER = resolve(import.meta.dirname, ".peers/otel");
const VERSIONS = {
  "@opentelemetry/api": "1.9.1",
  "@opentelemetry/sdk-trace-base": "2.12.1",
  "@opentelemetry/sdk-metrics": "2.12.1",
  "@opentelemetry/context-async-hooks": "2.12.0",
  "@opentelemetry/semantic-conventions": "1.45.0",
  "@arizeai/openinference-genai": "0.3.10",
};

/** Why the packages are missing; empty if they are there. An existing install is used again. */
async function install(): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: VERSIONS });
  const marker = join(FOLDER, "installed.json");
  if (existsSync(marker) && (await readFile(marker, "utf8")) === manifest) return "";
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), manifest);
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", options, { cwd: FOLDER, timeout: 240_000 });
  } catch (error) {
    return ` (skipped: the packages of OpenTelemetry could not be installed: ${/^npm error (.*\S)/m.exec(String(error))?.[1] ?? "npm failed"})`;
  }
  await writeFile(marker, manifest);
  return "";
}

interface ExportedSpan {
  name: string;
  ended: boolean;
  attributes: Record<string, unknown>;
  parentSpanContext?: { spanId: string };
  spanContext(): { spanId: string };
}

const WITHOUT = await install();
const load = createRequire(join(FOLDER, "package.json"));

describe.skipIf(WITHOUT)(`the trace of an agent${WITHOUT}`, { timeout: PATIENCE_MS }, () => {
  let spans: ExportedSpan[];
  let metricNames: string[];
  let shutDown: () => Promise<unknown>;

  beforeAll(async () => {
    const api = load("@opentelemetry/api");
    const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = load("@opentelemetry/sdk-trace-base");
    const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
      load("@opentelemetry/sdk-metrics");
    const { AsyncLocalStorageContextManager } = load("@opentelemetry/context-async-hooks");
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 60_000 });
    const meters = new MeterProvider({ readers: [reader] });
    shutDown = () => Promise.all([provider.shutdown(), meters.shutdown()]);
    const tracer = provider.getTracer("test");
    const look = {
      name: "look",
      description: "Looks",
      parameters: Type.Object({}),
      execute: async () => {
        await null;
        return tracer.startActiveSpan("inside the tool", async (span: { end(): void }) => {
          span.end();
          return { content: [{ type: "text" as const, text: "seen" }] };
        });
      },
    };
    const called = fauxAssistantMessage([fauxToolCall("look", {})], { stopReason: "toolUse" });
    const streamFn = createScriptedStreamFn([called, fauxAssistantMessage("done")]);
    const typed: OtelApi = api;
    const traced = trace({ api: typed, tracer, meter: meters.getMeter("test"), name: "judge", content: true });
    const agent = new Agent({ initialState: { tools: [look] }, streamFn, middleware: [traced] });
    await tracer.startActiveSpan("request of a user", async (span: { end(): void }) => {
      await agent.prompt("look");
      span.end();
    });
    spans = exporter.getFinishedSpans();
    await meters.forceFlush();
    const exported: { scopeMetrics: { metrics: { descriptor: { name: string } }[] }[] }[] = metrics.getMetrics();
    metricNames = exported.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)),
    );
  });
  afterAll(() => shutDown());

  it("has every span under its parent, those of the tool's own code too", () => {
    const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name;
    expect(spans.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)])).toEqual([
      ["chat unknown", "invoke_agent judge"],
      ["inside the tool", "execute_tool look"],
      ["execute_tool look", "invoke_agent judge"],
      ["chat unknown", "invoke_agent judge"],
      ["invoke_agent judge", "request of a user"],
      ["request of a user", undefined],
    ]);
  });

  it("uses the attributes and metrics of the conventions", () => {
    const conventions = new Set(Object.values(load("@opentelemetry/semantic-conventions/incubating")));
    const names = new Set(spans.flatMap((span) => Object.keys(span.attributes)));
    expect([...names].filter((name) => !conventions.has(name))).toEqual(["pi.usage.cost"]);
    // These two are newer than the package: docs/gen-ai/gen-ai-metrics.md of semantic-conventions-genai, 2026-11.
    const newer = ["gen_ai.execute_tool.duration", "gen_ai.invoke_agent.duration"];
    expect(metricNames.filter((name) => !conventions.has(name)).sort()).toEqual(newer);
    expect(metricNames).toContain("gen_ai.client.token.usage");
  });

  it("is understood by the converter of OpenInference", () => {
    const { convertGenAISpanAttributesToOpenInferenceSpanAttributes: convert } = load("@arizeai/openinference-genai");
    const kinds = spans.map((span) => [span.name, convert(span.attributes)["openinference.span.kind"]]);
    expect(Object.fromEntries(kinds)).toMatchObject({
      "chat unknown": "LLM",
      "execute_tool look": "TOOL",
      "invoke_agent judge": "AGENT",
    });
    const chat = convert(spans[0]?.attributes);
    expect(chat).toMatchObject({
      "llm.model_name": "unknown",
      "llm.input_messages.0.message.role": "user",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
    });
  });
});
