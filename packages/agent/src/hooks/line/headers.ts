/** Headers that hooks may add to a request, and those they are shown of an answer: never keys, and nothing of the transport. */

type Headers = Readonly<Record<string, string>>;

/** Throws where one of them is not theirs to say. Null where there are none. */
export function headersIn(result: unknown): Headers | null {
  const { headers } = Object(result) as { readonly headers?: unknown };
  if (headers === undefined || headers === null) return null;
  if (typeof headers !== "object" || Array.isArray(headers)) throw new Error("its headers are no object");
  const all = Object.entries(headers);
  if (all.length > MOST_HEADERS) throw new Error(`it has more than ${MOST_HEADERS} headers`);
  return Object.fromEntries(all.map(([name, value]) => [nameIn(name), valueIn(name, value)]));
}

const MOST_HEADERS = 50;
const LONGEST = 8_000;

function nameIn(name: string): string {
  const lower = name.toLowerCase();
  if (!TOKEN.test(lower) || lower.length > LONGEST)
    throw new Error(`${JSON.stringify(name.slice(0, 80))} is no name of a header`);
  if (OURS.test(lower) || SECRET.test(lower)) throw new Error(`the header ${lower} is not for hooks to say`);
  return lower;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

const OURS =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|content-.*|proxy-.*)$/;

function valueIn(name: string, value: unknown): string {
  if (typeof value !== "string" || value.length > LONGEST || !PRINTED.test(value))
    throw new Error(`the header ${name} has a value that is no line of text`);
  return value;
}

/** What a header can hold: no line ends, and nothing beyond the letters of the wire. */
const PRINTED = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Without what opens doors. */
export function shownHeaders(headers: Headers): Headers {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return Object.fromEntries(all.map(([name, value]) => [name, SECRET.test(name) ? "…" : value]));
}

/** Names of what opens doors: neither said by hooks nor shown to them. */
const SECRET = /authorization|api-?key|cookie|token$|secret/;
