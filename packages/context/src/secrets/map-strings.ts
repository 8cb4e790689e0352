/** Maps the strings anywhere in a value, returns the same value where none changes, and names the fields redaction must not touch. */

/** `key` is the name that a text stands under; null: at the top, or in a list. */
export type TextChange = (text: string, key: string | null) => string;

export interface WalkParts {
  readonly text: TextChange;
  /** Whether a field, or all that an object holds, is passed by. */
  readonly isPassedBy?: (key: string, holder: Fields) => boolean;
  /** Whether something is to be left out of a list. */
  readonly isDropped?: (changed: unknown, before: unknown) => boolean;
  /** What was looked at and found without anything to change. */
  readonly seen?: WeakSet<object>;
}

export type Fields = Readonly<Record<string, unknown>>;

export function walk(value: unknown, parts: WalkParts, key: string | null = null): unknown {
  if (typeof value === "string") return parts.text(value, key);
  if (typeof value !== "object" || value === null || parts.seen?.has(value)) return value;
  // Bytes and dates are no texts.
  if (!Array.isArray(value) && !isPlain(value)) return value;
  const changed = Array.isArray(value) ? list(value, parts) : fields(value as Fields, parts);
  if (typeof changed === "object" && changed !== null) parts.seen?.add(changed);
  return changed;
}

function list(value: readonly unknown[], parts: WalkParts): readonly unknown[] {
  let changed: unknown[] | null = null;
  for (const [at, each] of value.entries()) {
    const next = walk(each, parts);
    if (next === each) {
      changed?.push(each);
      continue;
    }
    changed ??= value.slice(0, at);
    if (!parts.isDropped?.(next, each)) changed.push(next);
  }
  return changed ?? value;
}

function fields(value: Fields, parts: WalkParts): Fields {
  let isSame = true;
  const changed = Object.entries(value).map(([key, each]): [string, unknown] => {
    if (parts.isPassedBy?.(key, value)) return [key, each];
    const name = parts.text(key, null);
    const next = walk(each, parts, key);
    isSame &&= name === key && next === each;
    return [name, next];
  });
  return isSame ? value : Object.fromEntries(changed);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Signatures, encrypted content and images: one changed letter would break them, and no shape of a secret means anything there. */
export function isPassedBy(key: string, { type, mimeType, redacted }: Fields): boolean {
  switch (type) {
    case "thinking":
      // Reasoning that the provider keeps to itself is passed by whole.
      return key === "thinkingSignature" || redacted === true;
    case "text":
      return key === "textSignature";
    case "toolCall":
      return key === "thoughtSignature";
    case "image":
      return key === "data" && typeof mimeType === "string";
    default:
      return ENCRYPTED.has(key);
  }
}

const ENCRYPTED: ReadonlySet<string> = new Set(["encrypted_content", "encryptedContent", "reasoningEncryptedContent"]);

/** A signature belongs to exact words: a secret among them takes the block with it. */
export function isHoldingSigned(_: unknown, before: unknown): boolean {
  const { type, thinkingSignature } = Object(before) as Fields;
  return type === "thinking" && thinkingSignature !== undefined;
}
