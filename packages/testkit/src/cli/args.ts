/** Parses the command line of `pith-testkit` into a `Wish`, and holds what `--help` and `--version` print. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { LocalServer } from "../server/local-servers.ts";
import type { ServerParts } from "../server/server.ts";

export type Wish =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "wrong"; readonly why: string }
  | {
      readonly type: "serve";
      /** Without one, the server repeats what it hears. */
      readonly file: string | undefined;
      readonly parts: Omit<ServerParts, "script">;
      readonly withParent: boolean;
    };

export function wished(words: readonly string[]): Wish {
  const said = parsed(words);
  if (said instanceof Error) return wrong(said.message.split(". ")[0] ?? said.message);
  const { values, positionals } = said;
  if (values.help) return { type: "help" };
  if (values.version) return { type: "version" };
  if (positionals.length > 1)
    return wrong(`One script at a time: ${positionals.join(" and ")} are ${positionals.length}.`);
  const faults = [
    numberFault("--port", values.port, 65_535),
    numberFault("--window", values.window),
    ...localFaults(values),
  ];
  const why = faults.find((fault) => fault !== null);
  if (why) return wrong(why);
  return { type: "serve", file: positionals[0], parts: partsOf(values), withParent: values["with-parent"] === true };
}

type Values = Exclude<ReturnType<typeof parsed>, Error>["values"];

function parsed(words: readonly string[]) {
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
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    return error as Error;
  }
}

function wrong(why: string): Wish {
  return { type: "wrong", why };
}

function numberFault(name: string, value: string | undefined, most = Number.MAX_SAFE_INTEGER): string | null {
  if (value === undefined || (/^\d+$/.test(value) && Number(value) <= most)) return null;
  return `${name} takes a number, as in ${name} 8000; ${value} is none.`;
}

function localFaults({ local, truncate, window }: Values): readonly (string | null)[] {
  return [
    local === undefined || isLocal(local) ? null : `--local takes ${LOCALS.join(", ")}; ${local} is none of them.`,
    truncate && window === undefined ? "--truncate needs a --window to cut at, as in --window 8000." : null,
  ];
}

const LOCALS: readonly LocalServer["kind"][] = ["ollama", "llama.cpp", "lm-studio", "vllm"];

function isLocal(kind: string): kind is LocalServer["kind"] {
  return LOCALS.some((each) => each === kind);
}

function partsOf({ port, log, window, truncate, local }: Values): Omit<ServerParts, "script"> {
  const tokens = window === undefined ? undefined : Number(window);
  return {
    ...(port !== undefined && { port: Number(port) }),
    ...(log !== undefined && { log }),
    ...(tokens !== undefined && { window: { tokens, over: truncate ? "truncate" : "refuse" } }),
    ...(local !== undefined &&
      isLocal(local) && { local: { kind: local, model: "test-model", window: tokens ?? 8192 } }),
  };
}

export const help: string = `pith-testkit: a model server for tests. It speaks Anthropic Messages, OpenAI Responses,
OpenAI Chat Completions and Google generateContent, says what a script wants,
and refuses what the provider would refuse.

  pith-testkit [SCRIPT.json] [options]

Without a script it answers "You said: ..." and calls no tools.

  --port N        listen there (otherwise any free port)
  --log FILE      one line of JSON for each request
  --window N      refuse prompts of more than N tokens, in the provider's words
  --truncate      with --window: drop their beginning instead, without a word
  --local KIND    answer as ollama, llama.cpp, lm-studio or vllm when asked about models
  --with-parent   end when standard input ends
  --version       which one this is
  --help          this page

A script is a list of steps, one for each request; the last one is repeated.
{ "steps": [...], "loop": true } begins again instead. A step is a text, a reply or a refusal:

  [
    "Hello!",
    { "parts": [{ "type": "thinking", "text": "hm" },
                { "type": "call", "name": "read", "arguments": { "path": "a.txt" } }] },
    { "parts": [{ "type": "text", "text": "half a" }], "breaks": { "how": "cut", "after": 3 } },
    { "refuse": { "status": 429, "message": "slow down", "headers": { "retry-after": "2" } } },
    "Done."
  ]

Examples:

  pith-testkit                              an echo on a free port
  pith-testkit talk.json --port 4010        a script on a port of your choice
  pith-testkit --window 8000 --log log.jsonl
  pith-testkit --local ollama --window 4096 --truncate

It ends on Ctrl-C. Everything a step can say: docs/testkit.md
`;

/** Read from the package's own `package.json`: one folder up from where it is built to, two from its source. */
export function version(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    const found = versionIn(new URL(place, import.meta.url));
    if (found !== null) return found;
  }
  throw new Error("the package.json of @pith/testkit is not where it should be");
}

function versionIn(file: URL): string | null {
  try {
    const { name, version: own } = JSON.parse(readFileSync(file, "utf8"));
    return name === "@pith/testkit" ? String(own) : null;
  } catch {
    // Not this place: the next one.
    return null;
  }
}
