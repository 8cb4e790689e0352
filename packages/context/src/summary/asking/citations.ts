/** What a story rests on: the numbers a model cites become the ids of entries, which hold for ever. */

/** `[e3, e7]` becomes `(entry:…, entry:…)`; a number that stands for nothing stays, so that it can be found fault with. */
export function withIds(text: string, ids: readonly string[]): string {
  return text.replace(NUMBERS, (cited) => {
    const numbers = cited.match(/\d+/g)?.map(Number) ?? [];
    const known = numbers.flatMap((number) => ids[number - 1] ?? []);
    const unknown = numbers.filter((number) => ids[number - 1] === undefined);
    const handles = known.length > 0 ? [`(${known.map((id) => `entry:${id}`).join(", ")})`] : [];
    return [...handles, ...unknown.map((number) => `[e${number}]`)].join(" ");
  });
}

const NUMBERS = /\[e\d{1,9}(?:\s{0,3}[,;]\s{0,3}e?\d{1,9}){0,50}\]/gi;
