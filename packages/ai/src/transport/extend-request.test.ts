import { describe, expect, it } from "vitest";
import { mergeHeaders } from "./extend-request.js";

describe("mergeHeaders", () => {
  it("prefers the later value, regardless of the case of the name", () => {
    expect(
      mergeHeaders({ "user-agent": "a", accept: "x" }, { "User-Agent": "b" }, undefined, { "user-agent": "c" }),
    ).toEqual({
      "user-agent": "c",
      accept: "x",
    });
    expect(mergeHeaders({ "user-agent": "a" }, { "User-Agent": "b" })).toEqual({ "User-Agent": "b" });
  });

  it("keeps null, which removes a header, until a later set overrides it", () => {
    expect(mergeHeaders({ authorization: null })).toEqual({ authorization: null });
    expect(mergeHeaders({ authorization: null }, { Authorization: "Bearer x" })).toEqual({ Authorization: "Bearer x" });
    expect(mergeHeaders({ accept: "x" }, { Accept: null })).toEqual({ Accept: null });
  });

  it("joins lists of features, each name once", () => {
    const sets = [{ "Anthropic-Beta": "a,b" }, { "anthropic-beta": "b, c" }];
    expect(mergeHeaders(...sets)).toEqual({ "anthropic-beta": "a,b,c" });
    expect(mergeHeaders(...sets, { "anthropic-beta": null })).toEqual({ "anthropic-beta": null });
    expect(mergeHeaders({ "anthropic-beta": null }, { "anthropic-beta": "d" })).toEqual({ "anthropic-beta": "d" });
  });

  it("ignores an undefined value", () => {
    expect(mergeHeaders({ a: "1" }, { a: undefined as unknown as string })).toEqual({ a: "1" });
  });
});
