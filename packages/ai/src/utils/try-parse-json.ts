/** The value of JSON text, or the fallback if the text is not JSON. The value is never `undefined`. */
export function tryParseJson(text: string, fallback?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
