import { type Static, Type } from "@sinclair/typebox";
import { StringEnum } from "pi-ai";
import { expect, expectTypeOf, it } from "vitest";
import { validate } from "../../test/tool-arguments.js";

const Color = StringEnum(["red", "green"], { description: "Of the line", default: "red" });

it("is a plain string with an enum", () => {
  expect(JSON.parse(JSON.stringify(Color))).toStrictEqual({
    type: "string",
    enum: ["red", "green"],
    description: "Of the line",
    default: "red",
  });
  expect(JSON.parse(JSON.stringify(StringEnum(["a"])))).toStrictEqual({ type: "string", enum: ["a"] });
});

it("has the union of its values as type, inside other schemas too", () => {
  const parameters = Type.Object({ color: Color, size: Type.Optional(StringEnum(["s", "m"])) });
  expectTypeOf<Static<typeof Color>>().toEqualTypeOf<"red" | "green">();
  expectTypeOf<Static<typeof parameters>>().toEqualTypeOf<{ color: "red" | "green"; size?: "s" | "m" }>();
  // @ts-expect-error a default is one of the values
  StringEnum(["a"], { default: "b" });
});

it("has the union of its values as type for TypeBox 1", () => {
  // `Static` of TypeBox 1 reads this property.
  expectTypeOf<(typeof Color)["~unsafe"]>().toEqualTypeOf<"red" | "green">();
});

it("validates", () => {
  const parameters = Type.Object({ color: Color });
  expect(validate(parameters, { color: "green" })).toEqual({ color: "green" });
  expect(() => validate(parameters, { color: "blue" })).toThrow(
    "  - color: must be equal to one of the allowed values",
  );
});
