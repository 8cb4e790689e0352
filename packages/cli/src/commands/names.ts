/** Lists the names of the built-in commands, which extensions and prompt templates cannot use. */

/** Imports the commands only when their names are needed. */
export async function listCommandNames(): Promise<readonly string[]> {
  const { builtInNames } = await import("./commands.ts");
  return builtInNames();
}
