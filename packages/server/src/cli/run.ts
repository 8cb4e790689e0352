/** Runs a command of `pith-server`. */

import { parseCommandLine, UsageError } from "./args.ts";
import { migrateCommand, startCommand } from "./serve.ts";
import { abortSessionCommand, listSessionsCommand, releaseSessionCommand } from "./sessions.ts";
import {
  createTenantCommand,
  createTokenCommand,
  eraseTenantCommand,
  holdTenantCommand,
  reencryptKeysCommand,
  setLimitsCommand,
} from "./tenants.ts";

const commands = [
  migrateCommand,
  startCommand,
  createTenantCommand,
  createTokenCommand,
  setLimitsCommand,
  holdTenantCommand,
  eraseTenantCommand,
  reencryptKeysCommand,
  listSessionsCommand,
  releaseSessionCommand,
  abortSessionCommand,
];

export interface CliOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** Returns the exit code: 2 if the command line or the configuration is wrong. */
export async function runCli(
  words: readonly string[],
  { environment, print, printError }: CliOptions,
): Promise<number> {
  try {
    const parsed = parseCommandLine(words, commands);
    if (parsed.type === "help") print(parsed.text);
    else print(await parsed.command.run({ args: parsed.args, flags: parsed.flags, environment, print }));
    return 0;
  } catch (error) {
    printError(`pith-server: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? 2 : 1;
  }
}
