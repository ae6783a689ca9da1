import { describe, expect, it } from "vitest";
import { BODY, post, setUp } from "../../test/support/proxy-setup.js";

const PAGE = "https://page.test";

function preflight(origin: string): Request {
  return new Request("https://app.test/api/stream", {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
}

describe("a page of another origin", () => {
  it("may send requests and read responses and errors if it is allowed", async () => {
    const { handler } = setUp({ allowOrigins: ["https://other.test", `${PAGE}/`] });
    const permission = await handler(preflight(PAGE));
    expect(permission.status).toBe(204);
    expect(Object.fromEntries(permission.headers)).toMatchObject({
      "access-control-allow-origin": PAGE,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization, content-type",
      vary: "origin",
    });
    for (const headers of [{ origin: PAGE }, { origin: PAGE, authorization: "Bearer wrong" }]) {
      const response = await handler(post(BODY, { headers }));
      expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      await response.text();
    }
  });

  it.each(["https://evil.test", "https://page.test.evil.test", "http://page.test", "null"])(
    "is rejected if it is not allowed: %s",
    async (origin) => {
      const { handler } = setUp({ allowOrigins: [PAGE] });
      const refused = await handler(preflight(origin));
      expect(refused.status).toBe(403);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
      const response = await handler(post(BODY, { headers: { origin } }));
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(response.headers.get("vary")).toBe("origin");
      await response.text();
    },
  );

  it("is always allowed by *", async () => {
    const { handler } = setUp({ allowOrigins: ["*"] });
    expect((await handler(preflight(PAGE))).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("receives no CORS headers by default", async () => {
    const { handler } = setUp();
    expect((await handler(preflight(PAGE))).status).toBe(405);
    const response = await handler(post(BODY, { headers: { origin: PAGE } }));
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    await response.text();
  });

  it("receives no permission for other paths", async () => {
    const { handler } = setUp({ allowOrigins: ["*"] });
    const request = new Request("https://app.test/other", { method: "OPTIONS", headers: { origin: PAGE } });
    expect((await handler(request)).status).toBe(404);
  });
});
