import { expect, it } from "vitest";
import { inputKindOf } from "./input-kind.js";

it.each([
  ["image/png", "image"],
  ["Audio/WAV", "audio"],
  ["video/mp4", "video"],
  ["text/markdown; charset=utf-8", "text"],
  ["application/json", "text"],
  ["application/pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "pdf"],
  ["constructor/x", "pdf"],
  ["", "pdf"],
])("counts %s as %s", (mimeType, kind) => {
  expect(inputKindOf(mimeType)).toBe(kind);
});
