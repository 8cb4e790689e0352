/** A handle where a path could stand: what was kept of a session, opened by the same tool as a file. */

export interface Handle {
  readonly type: "blob" | "entry";
  /** The hash of a blob, the id of an entry. */
  readonly name: string;
  /** As it was written. */
  readonly shown: string;
}

/** Null for a path; a file with such a name is meant by `./blob:…`. */
export function asHandle(path: string): Handle | null {
  const shown = path.trim();
  const [, type, name] = /^(blob|entry):(.*)$/s.exec(shown) ?? [];
  if (name === undefined) return null;
  return { type: type === "blob" ? "blob" : "entry", name, shown };
}
