import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { FileCredentialStore, type OAuthCredentials } from "pi-ai/oauth";
import { afterEach, beforeEach, expect, it } from "vitest";

const CREDENTIALS: OAuthCredentials = { refresh: "r", access: "a", expires: 7, project: "p" };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "oauth-"));
  file = join(folder, "deep/auth.json");
});
afterEach(() => rm(folder, { recursive: true }));

const keep = (store: FileCredentialStore, id: string) => store.modify(id, async () => CREDENTIALS);

it("keeps credentials in a file that only its owner can read", async () => {
  const store = new FileCredentialStore(file);
  expect(await store.read("acme")).toBeUndefined();
  await keep(store, "acme");
  await keep(store, "__proto__");
  expect(await new FileCredentialStore(file).read("acme")).toEqual(CREDENTIALS);
  expect(await store.read("__proto__")).toEqual(CREDENTIALS);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "deep"))).mode & 0o777).toBe(0o700);
  await store.delete("__proto__");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ acme: { type: "oauth", ...CREDENTIALS } });
  expect(await readdir(join(folder, "deep"))).toEqual(["auth.json"]);
});

it("keeps entries of other types, and makes a readable file private", async () => {
  file = join(folder, "auth.json");
  await writeFile(file, JSON.stringify({ other: { type: "api_key", key: "k" } }), { mode: 0o644 });
  const store = new FileCredentialStore(file);
  expect(await store.read("other")).toBeUndefined();
  await keep(store, "acme");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ other: { type: "api_key", key: "k" }, acme: {} });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("neither quotes nor replaces a damaged file", async () => {
  file = join(folder, "auth.json");
  await writeFile(file, '{"acme": "secret-secret');
  const store = new FileCredentialStore(file);
  for (const failed of [store.read("acme"), keep(store, "acme")]) {
    const error: unknown = await failed.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "config", message: expect.stringContaining("does not contain credentials") });
    expect(inspect(error, { showHidden: true })).not.toContain("secret-secret");
  }
  expect(await readFile(file, "utf8")).toContain("secret-secret");
  expect(await readdir(folder)).toEqual(["auth.json"]);
});

it("writes nothing if a change fails, and runs the next one", async () => {
  const store = new FileCredentialStore(file);
  await keep(store, "acme");
  await expect(store.modify("acme", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(await store.read("acme")).toEqual(CREDENTIALS);
  await keep(store, "acme");
});

it("runs one change after the other", async () => {
  const order: string[] = [];
  const { promise: permitted, resolve: permit } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const first = new FileCredentialStore(file).modify("one", async () => {
    begun.resolve();
    await permitted;
    order.push("first");
    return CREDENTIALS;
  });
  await begun.promise;
  const second = new FileCredentialStore(file).modify("two", async () => {
    order.push("second");
    return CREDENTIALS;
  });
  permit();
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
  expect(Object.keys(JSON.parse(await readFile(file, "utf8")))).toEqual(["one", "two"]);
});

it("takes over the lock of a process that has ended, and one that is too old", async () => {
  const store = new FileCredentialStore(file);
  await keep(store, "acme");
  const lock = `${file}.lock`;
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  await writeFile(lock, JSON.stringify({ pid, host: hostname(), token: "t" }));
  await keep(store, "acme");
  await writeFile(lock, JSON.stringify({ pid, host: "another machine", token: "t" }));
  const past = new Date(Date.now() - 130_000);
  await utimes(lock, past, past);
  await keep(store, "acme");
  expect(await readdir(join(folder, "deep"))).toEqual(["auth.json"]);
});
