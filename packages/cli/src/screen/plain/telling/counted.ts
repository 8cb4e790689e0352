/** How many lines a text has, in words. */

export function counted(text: string, noun: string): string {
  const whole = text.replace(/\n+$/, "");
  const count = whole === "" ? 0 : whole.split("\n").length;
  return several(count, noun);
}

export function several(count: number, noun: string): string {
  return count === 0 ? `no ${noun}s` : `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
