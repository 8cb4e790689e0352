/** What a command sees of the environment: all of it but what is withheld. */

export interface SeenBy {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
}

export function seenEnvironment({ environment, withheld = [] }: SeenBy): Record<string, string> {
  const passed = Object.entries(environment).filter(([name]) => !withheld.includes(name));
  return Object.fromEntries(passed.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
