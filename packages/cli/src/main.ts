/** Runs a subcommand or a mode and returns the exit code: 0 done, 1 failed, 2 usage error, 128 and more a signal. */

import { readArguments, type Wish } from "./args/args.ts";
import type { Exit } from "./text/process-io.ts";
import { type Terminal, terminalOf } from "./text/process-io.ts";

/** Runs `pith` to its end and sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await main(args);
  // LOAD18: only where something still runs, such as a clock of an extension; else the program has ended by then.
  setTimeout(leave, 1_000).unref();
}

/** Waits until everything is written. */
function leave(): void {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  setTimeout(leave, 100);
}

export async function main(args: readonly string[]): Promise<number> {
  const terminal = terminalOf(process);
  const code = await guarded(terminal, () => asSubcommand(args, terminal));
  if (code !== null) return code;
  const read = readArguments(args);
  switch (read.type) {
    case "help":
    case "version": {
      const { printAbout } = await import("./args/about.ts");
      return await printAbout(read.type);
    }
    case "mistake":
      await complain(read.message, args, terminal);
      return 2;
    case "wish":
      return await guarded(terminal, async () => {
        const fault = await findPolicyFault();
        if (fault === null) return await worked(read.wish, terminal);
        await complain(fault, args, terminal);
        return 2;
      });
  }
}

// JSON2: whoever reads lines hears there of a call that could not be understood.
async function complain(message: string, args: readonly string[], terminal: Terminal): Promise<void> {
  terminal.note(`pith: ${message}`);
  if (!args.some((arg, at) => arg === "--mode=json" || (arg === "--mode" && args[at + 1] === "json"))) return;
  const { lineOf } = await import("./text/safe-text.ts");
  await terminal.answer(lineOf({ type: "error", error: message }));
}

/** Null where the words name none; a line that begins with a flag never does. */
async function asSubcommand(args: readonly string[], terminal: Terminal): Promise<number | null> {
  const [first = ""] = args;
  if (!/^\w[\w-]*$/.test(first)) return null;
  const { runSubcommand } = await import("./subcommands/run.ts");
  return await runSubcommand(args, { cwd: process.cwd(), environment: process.env, terminal });
}

/** POL4: a mode that could run a model or a tool does not even begin where the policy cannot be used. */
async function findPolicyFault(): Promise<string | null> {
  const { readPolicy } = await import("./policy/policy-file.ts");
  const read = await readPolicy();
  return read.type === "mistake" ? read.message : null;
}

async function worked(wish: Wish, terminal: Terminal): Promise<number> {
  // Whoever only asks what there is does not wait for all that works.
  const { code, message } = await modes[wish.output](wish, terminal);
  if (message !== undefined) terminal.note(`pith: ${message}`);
  return code;
}

const modes: Readonly<Record<Wish["output"], (wish: Wish, terminal: Terminal) => Promise<Exit>>> = {
  text: done,
  json: done,
  screen: talked,
  rpc: async (wish, terminal) => (await import("./modes/rpc/rpc.ts")).rpc(wish, terminal),
  acp: async (wish, terminal) => (await import("./modes/acp/acp.ts")).acp(wish, terminal),
};

async function done(wish: Wish, terminal: Terminal): Promise<Exit> {
  const { work } = await import("./modes/print/print.ts");
  return await work(wish, terminal);
}

async function talked(wish: Wish): Promise<Exit> {
  // Lines are lines, wherever they come from and go to.
  if (!wish.choices.plain && process.stdout.isTTY && !process.stdin.isTTY)
    return { code: 2, message: 'what is piped in is read in print mode: … | pith -p "what to do"' };
  if (!wish.choices.plain && (!process.stdin.isTTY || !process.stdout.isTTY))
    return { code: 2, message: 'a talk needs a terminal; without one, write pith -p "what to do"' };
  const { interactive } = await import("./modes/interactive/interactive.ts");
  return await interactive(wish);
}

async function guarded<Code>(terminal: Terminal, act: () => Promise<Code>): Promise<Code | number> {
  try {
    return await act();
  } catch (error) {
    if (isFolderGone(error)) {
      terminal.note("pith: the folder you are in is gone; go to another one");
      return 1;
    }
    // Its words may be anybody's, so that they are not left to Node to print.
    terminal.note(`pith: this must not happen: ${error instanceof Error ? error.stack : String(error)}`);
    return 1;
  }
}

function isFolderGone(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}
