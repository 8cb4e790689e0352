/** How long a provider asks us to wait: by header, or in its own words. */

export interface Answer {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** In milliseconds; undefined where it does not say. */
export function retryAfter({ headers, text }: Answer, now: () => number): number | undefined {
  const known = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]));
  return (
    positive(Number.parseFloat(known.get("retry-after-ms") ?? "")) ??
    secondsOrDate(known.get("retry-after") ?? "", now) ??
    inWords(text.slice(0, 8192))
  );
}

function secondsOrDate(value: string, now: () => number): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return positive(Number.parseFloat(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

// "Please try again in 4.77s", "in 1m30s", "retry after 20 seconds"; Gemini: `"retryDelay": "34s"`.
function inWords(text: string): number | undefined {
  const said =
    /(?:(?:try again|retry) (?:in|after)|"retryDelay":) ?"?((?:[\d.]{1,12} ?(?:ms|milliseconds?|s|seconds?|m|minutes?|h|hours?)\b ?){1,3}|(?:[\d.]{1,12}(?:ms|h|m|s)){1,3})/i.exec(
      text,
    )?.[1];
  if (said === undefined) return undefined;
  const parts = [...said.matchAll(/([\d.]+) ?(ms|milli|h|m|s)/gi)];
  return positive(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * msIn(unit ?? ""), 0));
}

function msIn(unit: string): number {
  const known: Readonly<Record<string, number>> = { ms: 1, milli: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return known[unit.toLowerCase()] ?? Number.NaN;
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined;
}
