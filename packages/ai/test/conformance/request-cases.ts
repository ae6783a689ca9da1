/** Cases on the HTTP requests: their number, headers, limits and secrets. */

import type { ProviderResponse } from "pi-ai";
import { expect } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import { CANARIES } from "../support/credentials.js";
import type { PreparedResponse } from "../support/exchange.js";
import { withFakeTimers } from "../support/fake-timers.js";
import type { HttpTarget } from "./http-target.js";
import type { ConformanceCase } from "./response-cases.js";
import { expectResponse, type Subject } from "./subject.js";

type HttpSubject = Subject<HttpTarget>;
type HttpCase = ConformanceCase<HttpSubject>;

const AT_ONCE = { "retry-after-ms": "1" };

const retryCases: readonly HttpCase[] = [
  ...[429, 500, 503].map(
    (status): HttpCase => ({
      name: `retries after status ${status}`,
      run: async (subject) => {
        const { target } = subject;
        const call = target.call(target.refusal(status, "Not now", AT_ONCE), good(target));
        const { message, events } = await subject.watch(call, () => subject.start(call, { maxRetries: 1 }));
        expectResponse(message, target.responses.text);
        expect(events.filter((event) => event.type === "start")).toHaveLength(1);
        expect(call.exchange.requests).toHaveLength(2);
        expect(call.exchange.requests[1]?.body).toBe(call.exchange.requests[0]?.body);
      },
    }),
  ),
  {
    name: "retries if the connection breaks before the first event",
    run: async (subject) => {
      const { target } = subject;
      const call = target.call(target.response([], { after: "break" }), good(target));
      expectResponse(await subject.run(call, { maxRetries: 1 }), target.responses.text);
      expect(call.exchange.requests).toHaveLength(2);
    },
  },
  {
    name: "does not retry after the first event",
    run: async (subject) => {
      const { target } = subject;
      const cut = target.response(target.responses.text.frames.slice(0, 1), { after: "break" });
      const call = target.call(cut, good(target));
      expect((await subject.run(call, { maxRetries: 2 })).stopReason).toBe("error");
      expect(call.exchange.requests).toHaveLength(1);
    },
  },
  {
    name: "does not retry after a permanent rejection",
    run: async (subject) => {
      for (const status of [400, 401, 403, 404]) {
        const call = subject.target.call(subject.target.refusal(status, "No", AT_ONCE), good(subject.target));
        expect((await subject.run(call, { maxRetries: 2 })).stopReason).toBe("error");
        expect(call.exchange.requests).toHaveLength(1);
      }
    },
  },
  {
    name: "names the provider, the model and the address that were asked after 401 and 404, without a secret",
    run: async (subject) => {
      for (const status of [401, 404]) {
        const call = subject.target.call(subject.target.refusal(status, "No", AT_ONCE));
        const { errorMessage = "" } = await subject.run(call);
        const { provider, id, baseUrl } = call.model;
        expect(errorMessage).toContain(` (provider ${provider}, model ${id}; asked: http://`);
        if (baseUrl !== "") expect(errorMessage).toContain(new URL(baseUrl).host);
        expect(errorMessage).toMatch(/asked: [^ ?@]+(?:;.*)?\)$/);
      }
    },
  },
  {
    name: "gives up after maxRetries",
    run: async (subject) => {
      const call = subject.target.call(subject.target.refusal(500, "Not now", AT_ONCE));
      const message = await subject.run(call, { maxRetries: 2 });
      expect(message.error).toMatchObject({ kind: "server", status: 500, attempts: 3 });
      expect(call.exchange.requests).toHaveLength(3);
    },
  },
  {
    name: "does not wait longer than maxRetryDelayMs",
    run: async (subject) => {
      const call = subject.target.call(subject.target.refusal(429, "Not now", { "retry-after": "3600" }));
      const message = await soon("the end", subject.run(call, { maxRetries: 2, maxRetryDelayMs: 1000 }));
      expect(message.error).toMatchObject({ kind: "rate_limit", retryAfterMs: 3_600_000 });
      expect(call.exchange.requests).toHaveLength(1);
    },
  },
  {
    name: "aborts while it waits to retry",
    run: async (subject) => {
      const call = subject.target.call(subject.target.refusal(500, "Not now", { "retry-after": "30" }));
      const controller = new AbortController();
      void call.exchange.served.then(() => turns().then(() => controller.abort()));
      const message = await soon("the end", subject.run(call, { maxRetries: 2, signal: controller.signal }));
      expect(message.stopReason).toBe("aborted");
      expect(call.exchange.requests).toHaveLength(1);
    },
  },
];

const limitCases: readonly HttpCase[] = [
  {
    name: "fails after idleTimeoutMs of silence, before and within a response",
    run: async (subject) => {
      const { target } = subject;
      for (const count of [0, 2]) {
        const frames = target.responses.text.frames.slice(0, count);
        const call = target.call(target.response(frames, { after: "silence" }));
        await withFakeTimers(async (pass) => {
          const running = subject.run(call, { idleTimeoutMs: 40 });
          await soon("the response", call.exchange.served);
          const message = await whilePassing(running, () => pass(40));
          expect(message.error?.kind).toBe("timeout");
        });
        await soon("the end of the request", call.exchange.left);
      }
    },
  },
  {
    name: "fails after timeoutMs",
    run: async (subject) => {
      const call = subject.target.prepare("text", { hold: true });
      const message = await soon("the end", subject.run(call, { timeoutMs: 40 }));
      expect(message.error?.kind).toBe("timeout");
    },
  },
];

/** Lets time pass until the work is done: what was sent may reach the client late. */
async function whilePassing<T>(work: Promise<T>, pass: () => Promise<void>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await pass();
  return work;
}

const hookCases: readonly HttpCase[] = [
  {
    name: "names itself, and lets the caller's headers win",
    run: async (subject) => {
      const plain = await requestOf(subject, {});
      expect(plain.headers["user-agent"]).toMatch(/^pi-ai\/\d/);
      const named = await requestOf(subject, { headers: { "User-Agent": "mine/1", "x-extra": "yes" } });
      expect(named.headers).toMatchObject({ "user-agent": "mine/1", "x-extra": "yes" });
    },
  },
  {
    name: "shows the body to onPayload and sends what it returns",
    run: async (subject) => {
      const shown: unknown[] = [];
      const { body } = await requestOf(subject, { onPayload: (payload) => void shown.push(payload) });
      expect(JSON.parse(body)).toMatchObject(JSON.parse(JSON.stringify(shown[0])));
      const replaced = await requestOf(subject, { onPayload: (payload) => ({ ...Object(payload), extra: "field" }) });
      expect(replaced.body).toContain('"extra":"field"');
    },
  },
  {
    name: "passes the status and the headers to onResponse",
    run: async (subject) => {
      const told: ProviderResponse[] = [];
      const { target } = subject;
      const response = good(target);
      const call = target.call({ ...response, headers: { ...response.headers, "x-request-id": "req-1" } });
      await subject.run(call, { onResponse: (response) => void told.push(response) });
      expect(told).toMatchObject([{ status: 200, headers: { "x-request-id": "req-1" } }]);
    },
  },
  ...(["onPayload", "onResponse"] as const).map(
    (hook): HttpCase => ({
      name: `is an error if ${hook} throws`,
      run: async (subject) => {
        const throwing = (): never => {
          throw new Error("My hook is broken");
        };
        const message = await subject.run(subject.target.prepare("text"), { [hook]: throwing });
        expect(message.stopReason).toBe("error");
        expect(message.errorMessage).toContain("My hook is broken");
      },
    }),
  ),
  {
    name: "sends through the given fetch",
    run: async (subject) => {
      const urls: string[] = [];
      const fetch: typeof globalThis.fetch = (input, init) => {
        urls.push(input instanceof Request ? input.url : String(input));
        return globalThis.fetch(input, init);
      };
      const call = subject.target.prepare("text");
      expectResponse(await subject.run(call, { fetch }), subject.target.responses.text);
      expect(urls).toHaveLength(1);
      expect(urls[0]?.startsWith(call.exchange.url)).toBe(true);
    },
  },
];

const secretCases: readonly HttpCase[] = [
  {
    name: "shows no key that a rejection repeats",
    run: async (subject) => {
      const words = `Incorrect API key provided: ${CANARIES.apiKey}; x-token: tok-1234567890`;
      const headers = { authorization: `Bearer ${CANARIES.apiKey}`, "x-api-key": "tok-1234567890" };
      const message = await subject.run(subject.target.call(subject.target.refusal(401, words)), { headers });
      expect(JSON.stringify(message)).toContain("Incorrect API key");
      expect(JSON.stringify(message)).not.toContain(CANARIES.apiKey);
      expect(JSON.stringify(message)).not.toContain("tok-1234567890");
    },
  },
  {
    name: "shows no key that an error event or a hook repeats",
    run: async (subject) => {
      const { target } = subject;
      const words = `Key ${CANARIES.apiKey} is blocked`;
      const frames = [...target.responses.text.frames.slice(0, 2), target.fixtures.errorEvent(words)];
      const onPayload = (): never => {
        throw new Error(words);
      };
      for (const options of [{}, { onPayload }]) {
        const message = await subject.run(target.call(target.response(frames)), options);
        expect(message.errorMessage).toContain("is blocked");
        expect(JSON.stringify(message)).not.toContain(CANARIES.apiKey);
      }
    },
  },
  {
    name: "sends nothing without a key",
    run: async (subject) => {
      if (subject.target.fixtures.needsKey === false) return;
      const call = subject.target.prepare("text");
      // A server on this machine may need no key.
      const model = { ...call.model, baseUrl: call.model.baseUrl && "https://api.test" };
      const { message, events } = await subject.watch(call, () => subject.start({ ...call, model }, { apiKey: "" }));
      expect(events.map((event) => event.type)).toEqual(["error"]);
      expect(message.errorMessage).toContain(`No API key for provider: ${call.model.provider}. `);
      expect(message.error).toEqual({ kind: "auth_missing" });
      expect(call.exchange.requests).toEqual([]);
    },
  },
];

export const requestCases: readonly HttpCase[] = [...retryCases, ...limitCases, ...hookCases, ...secretCases];

function good(target: HttpTarget): PreparedResponse {
  return target.response(target.responses.text.frames);
}

async function requestOf(subject: HttpSubject, options: Parameters<HttpSubject["run"]>[1]) {
  const call = subject.target.prepare("text");
  expectResponse(await subject.run(call, options), subject.target.responses.text);
  const request = call.exchange.requests[0];
  if (!request) throw new Error("Nothing was sent");
  return request;
}
