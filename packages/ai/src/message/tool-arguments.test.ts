import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ToolArguments } from "./tool-arguments.js";

// The same cases on every run.
fc.configureGlobal({ seed: 20261121 });

function finish(...deltas: string[]): ReturnType<ToolArguments["finish"]> {
  const toolArguments = new ToolArguments();
  for (const delta of deltas) toolArguments.append(delta);
  return toolArguments.finish();
}

it("returns any object as JSON.parse does, however it was split and read", () => {
  const pieces = fc.array(fc.nat({ max: 30 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), pieces, fc.boolean(), (value, sizes, look) => {
      const text = JSON.stringify(value);
      const toolArguments = new ToolArguments();
      for (let start = 0, index = 0; start < text.length; index++) {
        const size = (sizes[index % sizes.length] ?? 0) + 1;
        toolArguments.append(text.slice(start, start + size));
        start += size;
        if (look) expect(typeof toolArguments.live).toBe("object");
      }
      if (look) assert.deepStrictEqual(toolArguments.live, JSON.parse(text));
      assert.deepStrictEqual(toolArguments.finish(), { arguments: JSON.parse(text) });
    }),
  );
});

it.each(["", "  \n", "null", " null "])("treats %j as no arguments", (text) => {
  expect(finish(text)).toStrictEqual({ arguments: {} });
});

it("returns one object that grows", () => {
  const toolArguments = new ToolArguments();
  expect(toolArguments.live).toEqual({});
  toolArguments.append('{"path":"/tm');
  const live = toolArguments.live;
  expect(live).toEqual({ path: "/tm" });
  toolArguments.append('p","n":1}');
  expect(toolArguments.live).toBe(live);
  expect(live).toEqual({ path: "/tmp", n: 1 });
});

it.each(['{"a":1}{"a":1}', '{} {"a":1}', '{}{"a":1}{"a":1}{"a":1}', ' {"a":1}{"a":1}\n'])(
  "reads %j, an object that is written again or after an empty one, as the object",
  (text) => {
    expect(finish(text)).toStrictEqual({ arguments: { a: 1 } });
  },
);

it("repairs raw control characters and unknown escapes", () => {
  expect(finish('{"text":"a\nb', '\\d"}')).toStrictEqual({ arguments: { text: "a\nb\\d" } });
});

it.each([
  ['{"a":1,"b":"x', { a: 1, b: "x" }, "The arguments are not complete JSON: the text ends after 13 characters."],
  ['{"a":1,"b":tru', { a: 1 }, "The arguments are not complete JSON: the text ends after 14 characters."],
  ['{"a":1}{"a":2}', { a: 1 }, 'The arguments are not valid JSON: unexpected "{" at position 7.'],
  ['{"a":1} done', { a: 1 }, 'The arguments are not valid JSON: unexpected "d" at position 8.'],
  ["ls -la", {}, 'The arguments are not valid JSON: unexpected "l" at position 0.'],
  ["[1]", {}, "The arguments must be a JSON object, not an array."],
  ["7", {}, "The arguments must be a JSON object, not a number."],
  ['"x"', {}, "The arguments must be a JSON object, not a string."],
  ["true", {}, "The arguments must be a JSON object, not a boolean."],
  ['"a\nb"', {}, "The arguments must be a JSON object, not a string."],
])("flags %j and keeps its text", (text, value, error) => {
  expect(finish(text)).toStrictEqual({ arguments: value, argumentsError: error, argumentsText: text });
});

it("flags arguments that are nested too deep, complete or cut off", () => {
  const whole = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(finish(whole).argumentsError).toBe("The arguments are nested deeper than 256 levels.");
  expect(JSON.stringify(finish(whole).arguments)).toBe(`{"a":${"[".repeat(255)}${"]".repeat(255)}}`);
  expect(finish("[".repeat(100_000)).argumentsError).toBe(
    "The arguments are not valid JSON: it is nested deeper than 256 levels.",
  );
  expect(finish(`{"a":${"[".repeat(255)}${"]".repeat(255)}}`).argumentsError).toBeUndefined();
});

it("keeps no more text than the length limit allows", () => {
  const toolArguments = new ToolArguments({ maxLength: 8 });
  for (let i = 0; i < 5; i++) toolArguments.append('{"abc');
  expect(toolArguments.text).toBe('{"abc{"a');
  expect(toolArguments.finish()).toStrictEqual({
    arguments: {},
    argumentsError: "The arguments are longer than 8 characters.",
    argumentsText: '{"abc{"a',
  });
});

it("does not change after it is finished", () => {
  const toolArguments = new ToolArguments();
  toolArguments.append('{"a":1}');
  const finished = toolArguments.finish();
  toolArguments.append("x");
  expect(toolArguments.finish()).toBe(finished);
  expect(toolArguments.live).toBe(finished.arguments);
});

it("makes __proto__ plain data", () => {
  for (const value of [finish('{"__proto__":{"x":1}}').arguments, finish('{"__proto__":{"x":1}').arguments]) {
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
  }
});
