/** Parses a line of untrusted JSON within limits, and waits for a promise with a timeout. */

export type ParsedJson =
  | { readonly type: "read"; readonly value: unknown }
  | { readonly type: "mistake"; readonly message: string };

const MAX_DEPTH = 200;
/** More than any command needs. Without a limit, millions of empty lists would exhaust the memory. */
const MAX_VALUES = 10_000;

/** Rejects invalid UTF-8, deep nesting and too many values before it parses the line. */
export function parseJsonLine(bytes: Uint8Array): ParsedJson {
  const text = decodeUtf8(bytes);
  if (text === null) return jsonError("the line is not valid UTF-8; send JSON encoded as UTF-8");
  const { maxDepth, values } = measureJson(text);
  if (maxDepth > MAX_DEPTH)
    return jsonError(`the line is nested deeper than ${MAX_DEPTH} levels; send a flatter value`);
  if (values > MAX_VALUES)
    return jsonError(`the line contains more than ${MAX_VALUES} values; no command needs that many`);
  try {
    return { type: "read", value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : "";
    return jsonError(`the line is not valid JSON (${reason}); send one object per line, such as {"type":"get_state"}`);
  }
}

function jsonError(message: string): ParsedJson {
  return { type: "mistake", message };
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // The caller reports invalid UTF-8.
    return null;
  }
}

/** Measures the nesting and the number of values outside of strings. The result may be wrong for invalid JSON, which is rejected anyway. */
function measureJson(text: string): { readonly maxDepth: number; readonly values: number } {
  let [depth, maxDepth, values, isInString] = [0, 0, 1, false];
  for (let index = 0; index < text.length; index += 1) {
    const charCode = text.charCodeAt(index);
    if (isInString) {
      if (charCode === BACKSLASH) index += 1;
      else if (charCode === QUOTE) isInString = false;
    } else if (charCode === QUOTE) isInString = true;
    else if (charCode === COMMA) values += 1;
    else if (charCode === OPEN_BRACKET || charCode === OPEN_BRACE) maxDepth = Math.max(maxDepth, ++depth);
    else if (charCode === OPEN_BRACKET + 2 || charCode === OPEN_BRACE + 2) depth -= 1;
  }
  return { maxDepth, values };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** Whether the promise resolves or rejects within the time. */
export async function settlesWithin(timeoutMs: number, task: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), timeoutMs);
  const onSettled = (): boolean => true;
  return await Promise.race([task.then(onSettled, onSettled), timeout.promise]).finally(() => clearTimeout(timer));
}
