/** Maps all strings in a value, returns the same value if none changes, and names the fields that redaction must not change. */

/** `key` is the field that contains the text; null at the top and in a list. */
export type StringMapper = (text: string, key: string | null) => string;

export interface MapStringsOptions {
  readonly mapString: StringMapper;
  /** Whether a field is skipped. */
  readonly isProtected?: (key: string, object: PlainFields) => boolean;
  /** Whether a changed item is removed from its list. */
  readonly shouldDrop?: (mapped: unknown, original: unknown) => boolean;
  /** Objects that are already mapped and need no second pass. */
  readonly cleanObjects?: WeakSet<object>;
}

export type PlainFields = Readonly<Record<string, unknown>>;

/** Maps all strings in a value, including object keys. */
export function mapStrings(value: unknown, options: MapStringsOptions, key: string | null = null): unknown {
  if (typeof value === "string") return options.mapString(value, key);
  if (typeof value !== "object" || value === null || options.cleanObjects?.has(value)) return value;
  // Bytes and dates contain no strings.
  if (!Array.isArray(value) && !isPlainFields(value)) return value;
  const mapped = Array.isArray(value) ? mapListStrings(value, options) : mapFieldStrings(value as PlainFields, options);
  if (typeof mapped === "object" && mapped !== null) options.cleanObjects?.add(mapped);
  return mapped;
}

function mapListStrings(value: readonly unknown[], options: MapStringsOptions): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, item] of value.entries()) {
    const mapped = mapStrings(item, options);
    if (mapped === item) {
      copy?.push(item);
      continue;
    }
    copy ??= value.slice(0, index);
    if (!options.shouldDrop?.(mapped, item)) copy.push(mapped);
  }
  return copy ?? value;
}

function mapFieldStrings(value: PlainFields, options: MapStringsOptions): PlainFields {
  let isUnchanged = true;
  const mappedFields = Object.entries(value).map(([key, fieldValue]): [string, unknown] => {
    if (options.isProtected?.(key, value)) return [key, fieldValue];
    const mappedKey = options.mapString(key, null);
    const mappedValue = mapStrings(fieldValue, options, key);
    isUnchanged &&= mappedKey === key && mappedValue === fieldValue;
    return [mappedKey, mappedValue];
  });
  return isUnchanged ? value : Object.fromEntries(mappedFields);
}

function isPlainFields(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Signatures, encrypted content and images: a change would break them, and a secret pattern in them is a coincidence. */
export function isProtectedField(key: string, { type, mimeType, redacted }: PlainFields): boolean {
  switch (type) {
    case "thinking":
      // Redacted reasoning is encrypted by the provider.
      return key === "thinkingSignature" || redacted === true;
    case "text":
      return key === "textSignature";
    case "toolCall":
      return key === "thoughtSignature";
    case "image":
      return key === "data" && typeof mimeType === "string";
    default:
      return CIPHERTEXT_FIELDS.has(key);
  }
}

const CIPHERTEXT_FIELDS: ReadonlySet<string> = new Set([
  "encrypted_content",
  "encryptedContent",
  "reasoningEncryptedContent",
]);

/** Whether a block is signed thinking. Its signature covers the exact text, so a block with a secret is removed. */
export function isSignedThinking(_: unknown, original: unknown): boolean {
  const { type, thinkingSignature } = Object(original) as PlainFields;
  return type === "thinking" && thinkingSignature !== undefined;
}
