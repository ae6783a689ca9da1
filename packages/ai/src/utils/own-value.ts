/** Looks up names of others in a record of ours. */

/** The value of the record's own key; undefined for any other name, such as `constructor`, and for a value that is not a name. */
export function ownValue<TValue>(record: Readonly<Record<string, TValue>>, name: unknown): TValue | undefined {
  return typeof name === "string" && Object.hasOwn(record, name) ? record[name] : undefined;
}
