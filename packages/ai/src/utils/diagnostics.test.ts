import {
  type AssistantMessageDiagnostic,
  appendAssistantMessageDiagnostic,
  createAssistantMessageDiagnostic,
  extractDiagnosticError,
  formatThrownValue,
} from "pi-ai";
import { expect, it } from "vitest";

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("get");
    },
    getPrototypeOf() {
      throw new Error("getPrototypeOf");
    },
    ownKeys() {
      throw new Error("ownKeys");
    },
  },
);

it.each([
  [new Error("broken"), "broken"],
  [new TypeError(""), "TypeError"],
  [{ message: "like an error" }, "like an error"],
  ["text", "text"],
  ["", "Unknown error"],
  [undefined, "undefined"],
  [null, "null"],
  [7n, "7"],
  [Symbol("s"), "Symbol(s)"],
  [{ status: 500 }, '{"status":500}'],
  [circular, "[object Object]"],
  [Object.create(null, { self: { value: circular, enumerable: true } }), "Unknown error"],
  [hostile, "Unknown error"],
])("formats thrown values (%#)", (value, text) => {
  expect(formatThrownValue(value)).toBe(text);
});

it("extracts the facts of an error", () => {
  const error = Object.assign(new TypeError("broken"), { code: "ECONNRESET" });
  expect(extractDiagnosticError(error)).toEqual({
    name: "TypeError",
    message: "broken",
    stack: error.stack,
    code: "ECONNRESET",
  });
  expect(extractDiagnosticError("text")).toEqual({ message: "text" });
  expect(extractDiagnosticError(hostile)).toEqual({ message: "Unknown error" });
  expect(extractDiagnosticError({ message: "m", code: {}, name: 7 })).toEqual({ message: "m" });
});

it("creates a diagnostic", () => {
  const before = Date.now();
  const note = createAssistantMessageDiagnostic("transport", "gone", { attempts: 2 });
  expect(note).toEqual({
    type: "transport",
    timestamp: expect.any(Number),
    error: { message: "gone" },
    details: { attempts: 2 },
  });
  expect(note.timestamp).toBeGreaterThanOrEqual(before);
  expect(createAssistantMessageDiagnostic("transport")).toEqual({ type: "transport", timestamp: expect.any(Number) });
});

it("replaces the array of diagnostics", () => {
  const message: { diagnostics?: AssistantMessageDiagnostic[] } = {};
  const first = createAssistantMessageDiagnostic("first");
  appendAssistantMessageDiagnostic(message, first);
  const held = message.diagnostics;
  appendAssistantMessageDiagnostic(message, createAssistantMessageDiagnostic("second"));
  expect(held).toEqual([first]);
  expect(message.diagnostics?.map((note) => note.type)).toEqual(["first", "second"]);
});
