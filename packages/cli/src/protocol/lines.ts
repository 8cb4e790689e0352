/** Parses each line as bounded JSON: the input is untrusted. Waits with a timeout. */

export type ReadJson =
  | { readonly type: "read"; readonly value: unknown }
  | { readonly type: "mistake"; readonly message: string };

const DEEPEST = 200;
/** More than any command takes: millions of empty lists would fill the memory. */
const MOST_VALUES = 10_000;

/** Refuses invalid UTF-8, deep nesting and too many values before parsing: the input is untrusted. */
export function readJson(bytes: Uint8Array): ReadJson {
  const text = textIn(bytes);
  if (text === null) return mistake("the line is no UTF-8; write JSON in UTF-8");
  const { deepest, values } = shapeOf(text);
  if (deepest > DEEPEST) return mistake(`the line nests deeper than ${DEEPEST} levels; write it flatter`);
  if (values > MOST_VALUES) return mistake(`the line holds more than ${MOST_VALUES} values; no command takes so many`);
  try {
    return { type: "read", value: JSON.parse(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : "";
    return mistake(`the line is no JSON (${why}); write one object on one line, such as {"type":"get_state"}`);
  }
}

function mistake(message: string): ReadJson {
  return { type: "mistake", message };
}

function textIn(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // What is no UTF-8 is told so.
    return null;
  }
}

/** Outside of texts; what is no JSON may be counted wrongly, and is refused anyway. */
function shapeOf(text: string): { readonly deepest: number; readonly values: number } {
  let [depth, deepest, values, isText] = [0, 0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isText) {
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) isText = false;
    } else if (sign === QUOTE) isText = true;
    else if (sign === COMMA) values += 1;
    else if (sign === BRACKET || sign === BRACE) deepest = Math.max(deepest, ++depth);
    else if (sign === BRACKET + 2 || sign === BRACE + 2) depth -= 1;
  }
  return { deepest, values };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Whether it came in time, however it ended. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const clock = setTimeout(() => late.resolve(false), ms);
  const came = (): boolean => true;
  return await Promise.race([work.then(came, came), late.promise]).finally(() => clearTimeout(clock));
}
