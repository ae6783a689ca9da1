/** Helpers to validate arguments against a schema. */
import type { TSchema } from "@sinclair/typebox";
import { type Tool, type ToolCall, validateToolArguments } from "pi-ai";

export function createTool(parameters: object): Tool {
  // Any JSON Schema is accepted at run time, from TypeBox or not.
  return { name: "edit", description: "", parameters: parameters as TSchema };
}

export function createCall(args: unknown): ToolCall {
  // A model may send anything.
  return { type: "toolCall", id: "1", name: "edit", arguments: args as Record<string, unknown> };
}

export function validate(parameters: object, args: unknown): unknown {
  return validateToolArguments(createTool(parameters), createCall(args));
}

export function messageOf(parameters: object, args: unknown): string {
  try {
    validate(parameters, args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("The arguments were accepted");
}

/** A schema with one required property `x`. */
export function withX(schema: object): object {
  return { type: "object", properties: { x: schema }, required: ["x"] };
}
