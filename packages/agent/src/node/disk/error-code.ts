/** The system's name for what went wrong, such as `ENOENT`. */

/** Empty where it has none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}
