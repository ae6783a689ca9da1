import { expect, it } from "vitest";
import { RawStreamError, readHttpError, readStreamError } from "./load-http-error.js";

const missing = async (): Promise<never> => {
  throw new Error("The chunk is gone");
};

it.each([
  [400, "invalid_request", false],
  [429, "server", true],
  [503, "server", true],
])("reports the status and the body if the error module cannot be loaded: %i", async (status, kind, retryable) => {
  const error = await readHttpError({ status, body: "The provider's words", provider: "p" }, missing);
  expect(error).toMatchObject({ message: `${status} The provider's words`, status, kind, retryable, provider: "p" });
});

it("reports a stream's error event if the error module cannot be loaded", async () => {
  const raw = new RawStreamError({ error: { message: "Overloaded" } }, "p");
  expect(await readStreamError(raw, missing)).toMatchObject({
    message: '{"error":{"message":"Overloaded"}}',
    provider: "p",
  });
});

it("lets the api explain the error, loaded or not", async () => {
  const raw = new RawStreamError({ error: { message: "no", code: "x" } }, "p", (error) => error.withMessage("Why"));
  expect(await readStreamError(raw)).toMatchObject({ message: "Why", code: "x" });
  expect(await readStreamError(raw, missing)).toMatchObject({ message: "Why", code: undefined });
});

it("survives an event that is nested too deeply to be shown", () => {
  let event: unknown = {};
  for (let level = 0; level < 100_000; level++) event = [event];
  expect(new RawStreamError(event, "p").message).toBe("The provider reported an error");
});
