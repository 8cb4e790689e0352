/** JSON from outside: what cannot be read, or is nested deeper than any provider reads, is no JSON. */

/** Undefined where it is none: the protocol's own check says so in its own words. */
export function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? undefined : value;
  } catch {
    // Not JSON is the answer, not a failure.
    return undefined;
  }
}

const DEEPEST = 500;

// Level by level: whatever walks it later may follow it down.
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
