/** Type guards and readers for JSON from outside, used by the checks of every protocol. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObjects(value: unknown): readonly Json[] {
  return asArray(value).filter(isObject);
}

export function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isBlank(value: unknown): boolean {
  return typeof value !== "string" || !/\S/.test(value);
}

/** Finds the first key that is not in the list. */
export function findUnknownKey(value: Json, knownKeys: readonly string[]): string | undefined {
  return Object.keys(value).find((name) => !knownKeys.includes(name));
}

/** Whether a string in the value, keys included, has half of a surrogate pair. */
export function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return (
    isObject(value) && Object.entries(value).some(([name, each]) => !name.isWellFormed() || hasLoneSurrogate(each))
  );
}

/** Returns what is wrong with an image's media type or base64 data, or null. */
export function checkImage(mediaType: unknown, data: unknown, allowed: readonly string[]): string | null {
  if (typeof mediaType !== "string" || !allowed.includes(mediaType)) return `media type ${String(mediaType)}`;
  if (typeof data !== "string" || data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return "not base64";
  return null;
}

export const WEB_IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
