import { type } from "arktype";
import { fauxAssistantMessage } from "pi-ai";
import { completeObject } from "pi-ai/object";
import { createScriptedStreamFn } from "pi-ai/testing";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { TYPED_MODELS } from "./typed-models.js";

const [MODEL] = TYPED_MODELS;

describe("schemas of libraries", () => {
  test("Zod: refinements are checked and transforms run", async () => {
    const schema = z.object({
      day: z.string().transform((text) => text.length),
      hours: z.array(z.int().refine((hour) => hour !== 13, "13 is unlucky")),
      note: z.string().optional(),
    });
    const streamFn = createScriptedStreamFn(
      [13, 14].map((hour) => fauxAssistantMessage(JSON.stringify({ day: "Monday", hours: [hour], note: null }))),
    );
    const { object } = await completeObject(MODEL.model, "Go", { schema, streamFn });
    expectTypeOf(object).toEqualTypeOf<{ day: number; hours: number[]; note?: string | undefined }>();
    expect(object).toEqual({ day: 6, hours: [14] });
    expect(JSON.stringify(streamFn.calls[1]?.context.messages)).toContain("hours.0: 13 is unlucky");
  });

  test("ArkType", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage('{"kind":"b"}')]);
    const { object } = await completeObject(MODEL.model, "Go", { schema: type({ kind: "'a' | 'b'" }), streamFn });
    expectTypeOf(object).toEqualTypeOf<{ kind: "a" | "b" }>();
    expect(object).toEqual({ kind: "b" });
  });

  test("Valibot needs its converter, which the error names", async () => {
    const schema = v.object({ a: v.string() });
    await expect(completeObject(MODEL.model, "Go", { schema })).rejects.toThrow("@valibot/to-json-schema");
  });
});
