/** A file of the user that is to hold one JSON object. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Null for everything else. What stands there is quoted nowhere: it may be keys. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
