/** A pattern in ripgrep's language, said in JavaScript's as far as people use what differs: words of any script, named kinds of characters, flags at the beginning. */

export interface Dialect {
  /** For an expression with the flag `u`. */
  readonly unicode: string;
  /** For one without, which takes what people write more loosely. */
  readonly loose: string;
  readonly flags: string;
}

export function inJavaScript(pattern: string): Dialect {
  const [beginning = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const loose = pattern.slice(beginning.length).replace(/\[:(\w+):\]/g, (kind, name: string) => KINDS[name] ?? kind);
  return { unicode: inUnicode(loose), loose, flags: [...new Set(flags)].join("") };
}

const KINDS: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  word: "a-zA-Z0-9_",
  xdigit: "0-9a-fA-F",
  punct: "!-\\/:-@\\[-`\\{-~",
};

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";

/** Within a choice of characters, and without one. */
const WIDER: Readonly<Record<string, readonly [string, string]>> = {
  "\\w": [WORD, `[${WORD}]`],
  "\\W": ["\\W", `[^${WORD}]`],
  "\\d": ["\\p{Nd}", "\\p{Nd}"],
  "\\D": ["\\P{Nd}", "\\P{Nd}"],
  "\\b": ["\\b", `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`],
};

function inUnicode(source: string): string {
  let isChoice = false;
  return source.replace(/\\.|[[\]]/gs, (sign) => {
    if (!sign.startsWith("\\")) {
      isChoice = sign === "[";
      return sign;
    }
    const [within, without] = WIDER[sign] ?? [neededEscape(sign), neededEscape(sign)];
    return isChoice ? within : without;
  });
}

/** With the flag `u` no other character may be escaped; a hyphen is spelled so that it may stand anywhere. */
function neededEscape(sign: string): string {
  if (sign === "\\-") return "\\x2d";
  return /^\\[\w^$\\.*+?()[\]{}|/]/.test(sign) ? sign : sign.slice(1);
}
