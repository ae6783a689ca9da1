/** Reads JSON lines, however damaged they are. */
import { type Fields, fieldsOf } from "../record/fields.js";

/** A line of a file, or why it could not be read. */
export interface ReadLine {
  /** From 1. */
  number: number;
  fields: Fields;
  problem?: string;
  /** Where the source finds it again: its first byte in a file, its position in a database. */
  place?: number;
  /** Its length in bytes or characters. */
  size?: number;
}

/** The lines that are not blank. */
export function readLines(text: string): ReadLine[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index): ReadLine[] => (line.trim() === "" ? [] : [readLine(line, index + 1)]));
}

/** One line, which is not blank. */
export function readLine(line: string, number: number): ReadLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return { number, fields: fieldsOf(value) };
  } catch {
    // As any other line that is not an object.
  }
  return { number, fields: {}, problem: `Line ${number} cannot be read: ${line.slice(0, 80)}` };
}
