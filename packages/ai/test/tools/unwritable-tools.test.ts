/** Tools that cannot be sent as they are written: the error names the tool and the place, and nothing is sent. */
import { completeSimple, type Tool } from "pi-ai";
import { describe, expect, test } from "vitest";
import { testsOf } from "../protocols/all-apis.js";
import { createDouble } from "../vendors/double.js";
import { modelsOf } from "../vendors/vendor-models.js";
import { VENDORS, vendorNamed } from "../vendors/vendors.js";

const wrap = (a: unknown): object => ({ type: "object", properties: { a } });
const boom = (): never => {
  throw new Error("boom");
};

const itself: Record<string, unknown> = wrap({}) as Record<string, unknown>;
itself["properties"] = { self: itself };
const list: Record<string, unknown> = { type: "array" };
list["items"] = list;
const revoked = Proxy.revocable({}, {});
revoked.revoke();

const json = (text: string): string => `In tool "odd", parameters${text}`;

/** By name: the parameters, and what the error says. */
const SCHEMAS: Readonly<Record<string, readonly [parameters: unknown, text: string]>> = {
  "a BigInt as a limit": [wrap({ type: "integer", maximum: 10n }), json(".properties.a.maximum is a BigInt.")],
  "a BigInt in an enum": [wrap({ enum: [1n] }), json(".properties.a.enum.0 is a BigInt.")],
  "a BigInt in a default": [wrap({ default: { x: [5n] } }), json(".properties.a.default.x.0 is a BigInt.")],
  "a function as a default": [wrap({ default: () => 1 }), json(".properties.a.default is a function.")],
  "a function as a property": [wrap(() => ({})), json(".properties.a is a function.")],
  "a function": [() => ({}), json(" is a function.")],
  "a symbol": [wrap({ const: Symbol("x") }), json(".properties.a.const is a symbol.")],
  "a getter that throws": [wrap({ get type() { return boom(); } }), json(".properties.a.type cannot be read: boom.")], // biome-ignore format: one row
  "a proxy that throws": [wrap(new Proxy({}, { ownKeys: boom })), json(".properties.a cannot be read: boom.")],
  "a proxy that was revoked": [wrap(revoked.proxy), json(".properties.a cannot be read: Cannot perform")],
  "a revoked proxy at the top": [revoked.proxy, json(" cannot be read: Cannot perform")],
  "a conversion that throws": [
    wrap({ default: { toJSON: boom } }),
    json(".properties.a.default cannot be read: boom."),
  ],
  "an object in itself": [itself, json(".properties.self contains itself.")],
  "a list of itself": [wrap(list), json(".properties.a.items contains itself.")],
  "a map of properties": [{ type: "object", properties: new Map() }, json(".properties is a Map.")],
  "a map as a default": [wrap({ default: new Map() }), json(".properties.a.default is a Map.")],
  "a set of names": [{ ...wrap({}), required: new Set(["a"]) }, json(".required is a Set.")],
  "a regular expression": [wrap({ pattern: /a/ }), json(".properties.a.pattern is a RegExp.")],
  bytes: [wrap({ default: new Uint8Array(2) }), json(".properties.a.default is a Uint8Array.")],
  "a promise": [Promise.resolve({}), json(" is a Promise.")],
  "a number": [5, 'The parameters of tool "odd" must be a schema, but it is 5.'],
};

const PLAIN = { name: "odd", description: "d", parameters: { type: "object", properties: {} } };

/** By name: a tool, and what the error says. */
const TOOLS: Readonly<Record<string, readonly [tool: unknown, text: string]>> = {
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, [parameters, text]]) => [name, [{ ...PLAIN, parameters }, text] as const]),
  ),
  "no tool": [null, "context.tools[0] must be a tool such as { name, description, parameters }, but it is null."],
  "a name of a tool": ["read", 'but it is "read".'],
  "a function as a tool": [() => 1, "but it is a function."],
  "no name": [{ ...PLAIN, name: undefined }, "The name of context.tools[0] must be a text, but it is undefined."],
  "a number as a name": [{ ...PLAIN, name: 5 }, "The name of context.tools[0] must be a text, but it is 5."],
  "a symbol as a name": [{ ...PLAIN, name: Symbol("n") }, "The name of context.tools[0] must be a text"],
  "an object as a name": [{ ...PLAIN, name: {} }, "The name of context.tools[0] must be a text, but it is an object."],
  "a name that throws": [{ ...PLAIN, get name() { return boom(); } }, "In context.tools[0], name cannot be read: boom."], // biome-ignore format: one row
  "a number as a description": [
    { ...PLAIN, description: 5 },
    'The description of tool "odd" must be a text, but it is 5.',
  ],
  "a function as a description": [{ ...PLAIN, description: () => "d" }, "must be a text, but it is a function."],
  "a schema under another name": [
    { ...PLAIN, parameters: undefined, inputSchema: {} },
    'The schema of tool "odd" is in inputSchema. Write parameters.',
  ],
  "a BigInt in an example": [{ ...PLAIN, examples: [{ a: 1n }] }, 'In tool "odd", examples.0.a is a BigInt.'],
};

async function send(vendorName: string, tool: unknown) {
  const vendor = vendorNamed(vendorName);
  const [model] = modelsOf(vendor);
  if (!model) throw new Error(`No model of ${vendorName}`);
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendor, fixtures);
  const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }], tools: [tool as Tool] };
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, fetch: double.fetch };
  return { message: await completeSimple(model, context, sending), double };
}

describe.each(VENDORS.map(({ name }) => name))("%s", (vendor) => {
  test("gets no tool that JSON cannot hold: the error says where", async () => {
    for (const [name, [tool, text]] of Object.entries(TOOLS)) {
      const { message, double } = await send(vendor, tool);
      expect(double.requests, name).toEqual([]);
      expect(message.error?.kind, name).toBe("config");
      expect(message.errorMessage, name).toContain(text);
    }
  });

  test("gets what JSON writes by itself, and no description that is null", async () => {
    const parameters = {
      ...wrap({ type: "string", default: new Date(0), validate: () => true, [Symbol("mark")]: 1 }),
      [Symbol("mark")]: 1n,
    };
    const { message, double } = await send(vendor, { ...PLAIN, description: null, parameters });
    expect(message.stopReason).not.toBe("error");
    const sent = JSON.stringify(double.requests[0]?.body);
    expect(sent).toContain("1970-01-01");
    expect(sent).not.toContain('"description":null');
  });
});
