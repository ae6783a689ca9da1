/** A bug in the driver itself is the error of the stream, without the key. */
import { expect, test, vi } from "vitest";
import { plainAdapter, plainModel } from "../../test/support/plain-adapter.js";
import { AssistantMessageBuilder } from "../message/index.js";
import { createApiProvider } from "./index.js";

test("a bug of the driver ends the stream with its error", async () => {
  vi.spyOn(AssistantMessageBuilder.prototype, "fail").mockImplementationOnce(() => {
    throw new Error("a bug that quotes sk-secret-0123456789");
  });
  const provider = createApiProvider({
    ...plainAdapter,
    buildRequest: () => {
      throw new Error("fails");
    },
  });
  const stream = provider.stream(plainModel, { messages: [] }, { apiKey: "sk-secret-0123456789" });
  const message = await stream.result();
  expect(message.stopReason).toBe("error");
  expect(message.errorMessage).toMatch(/^a bug that quotes (?!sk-secret)/);
  vi.restoreAllMocks();
});
