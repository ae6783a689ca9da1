import { describe, expect, it } from "vitest";
import {
  AbortedError,
  ConfigError,
  cutText,
  MAX_ERROR_BODY,
  MAX_ERROR_TEXT,
  NetworkError,
  PiError,
  ProtocolError,
  ProviderError,
} from "./errors.js";

describe("errors", () => {
  it.each([
    [new ConfigError("x"), "ConfigError", "config", false],
    [new ConfigError("x", { kind: "auth_missing" }), "ConfigError", "auth_missing", false],
    [new ProviderError({ kind: "rate_limit", message: "x" }), "ProviderError", "rate_limit", true],
    [new ProviderError({ kind: "overloaded", message: "x" }), "ProviderError", "overloaded", true],
    [new ProviderError({ kind: "server", message: "x" }), "ProviderError", "server", true],
    [new ProviderError({ kind: "auth", message: "x" }), "ProviderError", "auth", false],
    [new ProviderError({ kind: "server", message: "x", retryable: false }), "ProviderError", "server", false],
    [new NetworkError("x"), "NetworkError", "network", true],
    [new NetworkError("x", { kind: "timeout" }), "NetworkError", "timeout", true],
    [new ProtocolError("x"), "ProtocolError", "protocol", true],
    [new AbortedError(), "AbortedError", "aborted", false],
  ])("%s tells its name, its kind and whether another try may help", (error, name, kind, retryable) => {
    expect(error).toMatchObject({ name, kind, retryable });
    expect(error).toBeInstanceOf(Error);
    expect(PiError.is(error)).toBe(true);
    expect(error.info).toMatchObject({ kind });
    expect(structuredClone(error.info)).toEqual(error.info);
  });

  it("recognizes only errors of the library, including those of another copy", () => {
    const other = Object.assign(new Error("x"), { [Symbol.for("pi-ai.error")]: true });
    expect(PiError.is(other)).toBe(true);
    for (const value of [new Error("x"), "x", null, undefined, 5, {}]) expect(PiError.is(value)).toBe(false);
    const hostile = new Proxy(
      {},
      {
        has: () => {
          throw new Error("no");
        },
      },
    );
    expect(PiError.is(hostile)).toBe(false);
  });

  it("limits texts, and includes only the facts that are known", () => {
    const long = "x".repeat(100_000);
    const error = new ProviderError({ kind: "server", message: long, body: long, status: 500 });
    expect(error.message.length).toBeLessThan(MAX_ERROR_TEXT + 100);
    expect(error.body?.length).toBeLessThan(MAX_ERROR_BODY + 100);
    expect(error.info).toEqual({ kind: "server", status: 500 });
    expect(new NetworkError(long).message.length).toBeLessThan(MAX_ERROR_TEXT + 100);
    expect(new ProtocolError(long).message.length).toBeLessThan(MAX_ERROR_TEXT + 100);
  });
});

describe("cutText", () => {
  it("keeps short texts, and states how much it cut from long ones", () => {
    expect(cutText("abc", 3)).toBe("abc");
    expect(cutText("abcdef", 3)).toBe("abc… (3 more characters)");
  });

  it("never splits a surrogate pair", () => {
    expect(cutText("ab🌍cd", 3)).toBe("ab… (4 more characters)");
    expect(cutText("ab🌍cd", 4)).toBe("ab🌍… (2 more characters)");
    for (let length = 0; length < 12; length++) expect(cutText("🌍🌍🌍🌍🌍", length).isWellFormed()).toBe(true);
  });
});
