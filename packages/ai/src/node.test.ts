import { afterEach, expect, it, vi } from "vitest";

const withResolvers = Object.getOwnPropertyDescriptor(Promise, "withResolvers");

afterEach(() => {
  if (withResolvers) Object.defineProperty(Promise, "withResolvers", withResolvers);
});

it("names the Node.js that is needed where the import would lead to a missing function", async () => {
  vi.resetModules();
  Reflect.deleteProperty(Promise, "withResolvers");
  await expect(import("./node.js")).rejects.toThrow(
    `pi-ai and pi-agent need Node.js 22.12 or later. This is Node.js ${process.versions.node}`,
  );
});

it("lets a current Node.js pass", async () => {
  vi.resetModules();
  await expect(import("./node.js")).resolves.toBeDefined();
});
