/** Runs a subcommand or a mode and returns the exit code: 0 done, 1 failed, 2 usage error, 128 and more a signal. */

import { readPolicy } from "@pith/host/policy/policy-file";
import { toJsonLine } from "@pith/host/text/safe-text";
import { type CliArgs, parseCliArgs } from "./args/args.ts";
import type { ExitStatus } from "./text/process-io.ts";
import { createTerminal, type Terminal } from "./text/process-io.ts";

/** Runs `pith` to its end and sets the exit code of the process. */
export async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await main(argv);
  // LOAD18: exits only if something keeps the process alive, such as a timer of an extension. Otherwise it has ended by then.
  setTimeout(exitWhenFlushed, 1_000).unref();
}

/** Exits the process after stdout and stderr are written. */
function exitWhenFlushed(): void {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  setTimeout(exitWhenFlushed, 100);
}

async function main(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal(process);
  const code = await runGuarded(terminal, () => tryRunSubcommand(argv, terminal));
  if (code !== null) return code;
  const parsed = parseCliArgs(argv);
  switch (parsed.type) {
    case "help":
    case "version": {
      const { printAbout } = await import("./args/help.ts");
      return await printAbout(parsed.type);
    }
    case "mistake":
      await reportUsageError(parsed.message, argv, terminal);
      return 2;
    case "args":
      return await runGuarded(terminal, async () => {
        const policyError = await findPolicyError();
        if (policyError === null) return await runMode(parsed.args, terminal);
        await reportUsageError(policyError, argv, terminal);
        return 2;
      });
  }
}

/** JSON2: in JSON mode, a usage error is also written to stdout as an `error` event. */
async function reportUsageError(message: string, argv: readonly string[], terminal: Terminal): Promise<void> {
  terminal.notify(`pith: ${message}`);
  if (!argv.some((arg, index) => arg === "--mode=json" || (arg === "--mode" && argv[index + 1] === "json"))) return;
  await terminal.writeOutput(toJsonLine({ type: "error", error: message }));
}

/** Null if the arguments do not name a subcommand. A command line that starts with a flag never does. */
async function tryRunSubcommand(argv: readonly string[], terminal: Terminal): Promise<number | null> {
  const [first = ""] = argv;
  if (!/^\w[\w-]*$/.test(first)) return null;
  const { runSubcommand } = await import("./subcommands/run.ts");
  return await runSubcommand(argv, { cwd: process.cwd(), environment: process.env, terminal });
}

/** POL4: a mode that can run a model or a tool must not start if the policy is invalid. */
async function findPolicyError(): Promise<string | null> {
  const policy = await readPolicy();
  return policy.type === "mistake" ? policy.message : null;
}

async function runMode(args: CliArgs, terminal: Terminal): Promise<number> {
  // Each mode is imported when it runs, so that help and usage errors are fast.
  const { code, message } = await modeRunners[args.mode](args, terminal);
  if (message !== undefined) terminal.notify(`pith: ${message}`);
  return code;
}

const modeRunners: Readonly<Record<CliArgs["mode"], (args: CliArgs, terminal: Terminal) => Promise<ExitStatus>>> = {
  text: loadPrintMode,
  json: loadPrintMode,
  screen: runInteractiveMode,
  rpc: async (args, terminal) => (await import("./modes/rpc/rpc.ts")).runRpcMode(args, terminal),
  acp: async (args, terminal) => (await import("./modes/acp/acp.ts")).runAcpMode(args, terminal),
};

async function loadPrintMode(args: CliArgs, terminal: Terminal): Promise<ExitStatus> {
  const { runPrint } = await import("./modes/print/print.ts");
  return await runPrint(args, terminal);
}

async function runInteractiveMode(args: CliArgs): Promise<ExitStatus> {
  // Plain mode needs no terminal: it reads and writes lines.
  if (!args.overrides.plain && process.stdout.isTTY && !process.stdin.isTTY)
    return { code: 2, message: 'piped input requires print mode: … | pith -p "what to do"' };
  if (!args.overrides.plain && (!process.stdin.isTTY || !process.stdout.isTTY))
    return { code: 2, message: 'interactive mode requires a terminal; without one, use pith -p "what to do"' };
  const { runInteractive } = await import("./modes/interactive/interactive.ts");
  return await runInteractive(args);
}

async function runGuarded<Code>(terminal: Terminal, action: () => Promise<Code>): Promise<Code | number> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Error && "syscall" in error && error.syscall === "uv_cwd") {
      terminal.notify("pith: the current folder no longer exists; change to another one");
      return 1;
    }
    // Node must not print the error: its message may contain untrusted text, which `notify` escapes.
    terminal.notify(`pith: internal error: ${error instanceof Error ? error.stack : String(error)}`);
    return 1;
  }
}
