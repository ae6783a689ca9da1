/** Reads lines of JSON, which may be damaged. */
import { type Fields, fieldsOf } from "../record/fields.js";

/** A line of a file, or why it could not be read. */
export interface ReadLine {
  /** From 1. */
  number: number;
  fields: Fields;
  problem?: string;
  /** Where to read the line again: the position of its first byte in a file, or of its entry in a database. */
  place?: number;
  /** Its length in bytes or characters. */
  size?: number;
}

/** Reads the lines of a text, without blank ones. */
export function readLines(text: string): ReadLine[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index): ReadLine[] => (line.trim() === "" ? [] : [readLine(line, index + 1)]));
}

/** @param line must not be blank */
export function readLine(line: string, number: number): ReadLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return { number, fields: fieldsOf(value) };
  } catch {
    // Reported below, like a line that is valid JSON but not an object.
  }
  return { number, fields: {}, problem: `Line ${number} cannot be read: ${line.slice(0, 80)}` };
}
