/** A file of the user that is to hold one JSON object. */

export type JsonRead =
  | { readonly type: "object"; readonly value: JsonObject }
  | { readonly type: "other" }
  /** `why` quotes what stands there. */
  | { readonly type: "broken"; readonly why: string };

export type JsonObject = Readonly<Record<string, unknown>>;

export function readJson(text: string): JsonRead {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(value) ? { type: "object", value } : { type: "other" };
  } catch (error) {
    return { type: "broken", why: (error as SyntaxError).message.replace(/\s+/g, " ") };
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
