/** What a call of the tool asks for, read from arguments that may be anything. */

export type Wish =
  | { readonly type: "fetch"; readonly url: string; readonly offset: number }
  | { readonly type: "wrong"; readonly message: string };

export function wishOf({ url, offset }: Readonly<Record<string, unknown>>): Wish {
  if (typeof url !== "string" || url.trim() === "") return wrong("url is missing: say which page");
  // Models write numbers as text, too.
  const start = typeof offset === "string" ? Number(offset) : (offset ?? 0);
  if (typeof start !== "number" || !Number.isSafeInteger(start) || start < 0)
    return wrong(`offset must be a whole number from 0, not ${JSON.stringify(offset)}`);
  return { type: "fetch", url: url.trim(), offset: start };
}

function wrong(message: string): Wish {
  return { type: "wrong", message };
}
