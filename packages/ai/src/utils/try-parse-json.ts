/** The value of JSON text, or the fallback if the text is not JSON. No JSON text has the value `undefined`. */
export function tryParseJson(text: string, fallback?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
