/** Parses the command line of `pith-testkit`, and has the texts of `--help` and `--version`. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { LocalServer } from "../server/local-servers.ts";
import type { ServerOptions } from "../server/server.ts";

export type CliCommand =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "usage-error"; readonly message: string }
  | {
      readonly type: "serve";
      /** Without a script, the server echoes the user's text. */
      readonly scriptFile: string | undefined;
      readonly options: Omit<ServerOptions, "script">;
      readonly endsWithParent: boolean;
    };

export function parseCliArgs(args: readonly string[]): CliCommand {
  const parsedArgs = parseFlags(args);
  if (parsedArgs instanceof Error) return usageError(parsedArgs.message.split(". ")[0] ?? parsedArgs.message);
  const { values, positionals } = parsedArgs;
  if (values.help) return { type: "help" };
  if (values.version) return { type: "version" };
  if (positionals.length > 1)
    return usageError(`pith-testkit takes one script, but got ${positionals.length}: ${positionals.join(", ")}.`);
  const faults = [
    checkNumber("--port", values.port, 65_535),
    checkNumber("--window", values.window),
    ...checkLocalFlags(values),
  ];
  const firstFault = faults.find((fault) => fault !== null);
  if (firstFault) return usageError(firstFault);
  return {
    type: "serve",
    scriptFile: positionals[0],
    options: toServerOptions(values),
    endsWithParent: values["with-parent"] === true,
  };
}

type FlagValues = Exclude<ReturnType<typeof parseFlags>, Error>["values"];

function parseFlags(args: readonly string[]) {
  const options = {
    port: { type: "string" },
    log: { type: "string" },
    window: { type: "string" },
    truncate: { type: "boolean" },
    local: { type: "string" },
    "with-parent": { type: "boolean" },
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return error as Error;
  }
}

function usageError(message: string): CliCommand {
  return { type: "usage-error", message };
}

function checkNumber(name: string, value: string | undefined, max = Number.MAX_SAFE_INTEGER): string | null {
  if (value === undefined || (/^\d+$/.test(value) && Number(value) <= max)) return null;
  return `${name} takes a number, as in ${name} 8000, but got ${value}.`;
}

function checkLocalFlags({ local, truncate, window }: FlagValues): readonly (string | null)[] {
  return [
    local === undefined || isLocalServerKind(local)
      ? null
      : `--local takes one of ${LOCAL_SERVER_KINDS.join(", ")}, but got ${local}.`,
    truncate && window === undefined ? "--truncate needs --window, as in --window 8000." : null,
  ];
}

const LOCAL_SERVER_KINDS: readonly LocalServer["kind"][] = ["ollama", "llama.cpp", "lm-studio", "vllm"];

function isLocalServerKind(kind: string): kind is LocalServer["kind"] {
  return LOCAL_SERVER_KINDS.some((each) => each === kind);
}

function toServerOptions({ port, log, window, truncate, local }: FlagValues): Omit<ServerOptions, "script"> {
  const tokens = window === undefined ? undefined : Number(window);
  return {
    ...(port !== undefined && { port: Number(port) }),
    ...(log !== undefined && { log }),
    ...(tokens !== undefined && { window: { tokens, onOverflow: truncate ? "truncate" : "refuse" } }),
    ...(local !== undefined &&
      isLocalServerKind(local) && { local: { kind: local, model: "test-model", window: tokens ?? 8192 } }),
  };
}

export const helpText: string = `pith-testkit: a model server for tests. It implements Anthropic Messages, OpenAI Responses,
OpenAI Chat Completions and Google generateContent, replies from a script,
and refuses the requests that the provider would refuse.

  pith-testkit [SCRIPT.json] [options]

Without a script it answers "You said: ..." and calls no tools.

  --port N        the port to listen on (default: any free port)
  --log FILE      append one line of JSON to FILE for each request
  --window N      refuse prompts of more than N tokens with the provider's error
  --truncate      with --window: silently drop the beginning of long prompts instead
  --local KIND    also answer the model API of ollama, llama.cpp, lm-studio or vllm
  --with-parent   end when standard input ends
  --version       print the version
  --help          print this help

A script is a list of steps, one for each request; the last one is repeated.
{ "steps": [...], "loop": true } starts again instead. A step is a string, a reply or a refusal:

  [
    "Hello!",
    { "parts": [{ "type": "thinking", "text": "hm" },
                { "type": "call", "name": "read", "arguments": { "path": "a.txt" } }] },
    { "parts": [{ "type": "text", "text": "half a" }], "breaks": { "how": "cut", "after": 3 } },
    { "refuse": { "status": 429, "message": "slow down", "headers": { "retry-after": "2" } } },
    "Done."
  ]

Examples:

  pith-testkit                              an echo server on a free port
  pith-testkit talk.json --port 4010        a script on port 4010
  pith-testkit --window 8000 --log log.jsonl
  pith-testkit --local ollama --window 4096 --truncate

Stop it with Ctrl-C. All fields of a step: docs/testkit.md
`;

/** Reads the package's own `package.json`, which is one folder up from `dist` and two from the source. */
export function readVersion(): string {
  for (const relativePath of ["../package.json", "../../package.json"]) {
    const packageVersion = readPackageVersion(new URL(relativePath, import.meta.url));
    if (packageVersion !== null) return packageVersion;
  }
  throw new Error("package.json of @pith/testkit not found");
}

function readPackageVersion(file: URL): string | null {
  try {
    const { name, version: packageVersion } = JSON.parse(readFileSync(file, "utf8"));
    return name === "@pith/testkit" ? String(packageVersion) : null;
  } catch {
    // Not here: the caller tries the next path.
    return null;
  }
}
