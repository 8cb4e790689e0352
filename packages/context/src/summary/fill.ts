/** A text with its slots filled: `{name}` becomes what stands under that name. What is filled in is not looked at again. */

export function fill(text: string, slots: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) =>
    Object.hasOwn(slots, name) ? (slots[name] as string) : slot,
  );
}
