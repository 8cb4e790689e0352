/** What the words on the command line ask for, or what is wrong with them. */

import { parseArgs } from "node:util";
import type { LocalServer } from "../local/local-server.ts";
import type { ServerParts } from "../serving/server.ts";

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
