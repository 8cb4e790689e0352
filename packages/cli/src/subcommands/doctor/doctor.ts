/** Implements `pith doctor`: runs all checks and prints each result with what to do about it. */

import { diskErrorCode } from "@pith/context/node";
import type { SubcommandCall, SubcommandResult } from "../../args/subcommand.ts";
import {
  type Check,
  checkCompletions,
  checkConfiguration,
  checkDisk,
  checkFolderTrust,
  checkMachine,
  fault,
} from "./checks.ts";
import { checkFilePermissions, checkSessions } from "./file-checks.ts";
import { checkPermissions } from "./permission-checks.ts";
import { checkSandbox } from "./sandbox-checks.ts";

export async function runDoctor(call: SubcommandCall): Promise<SubcommandResult> {
  const [sessionRef] = call.arguments;
  if (sessionRef !== undefined) return await (await import("./session-damage.ts")).runSessionDoctor(sessionRef, call);
  const checks: Check[] = [];
  for (const [name, runCheck] of CHECKS)
    checks.push(...(await reportDiskErrors(name, async () => [await runCheck(call)].flat())));
  const isBroken = checks.some(({ state }) => state === "fault");
  const text = checks.map(formatCheck).join("\n");
  return { type: "shown", text, data: { checks }, ...(isBroken && { code: 1 }) };
}

const CHECKS: readonly (readonly [name: string, look: (call: SubcommandCall) => Promise<Check | readonly Check[]>])[] =
  [
    ["machine", checkMachine],
    ["sandbox", checkSandbox],
    ["rights", checkFilePermissions],
    ["keys", checkConfiguration],
    ["trust", checkFolderTrust],
    ["rules", checkPermissions],
    ["sessions", checkSessions],
    ["disk", checkDisk],
    ["completions", checkCompletions],
  ];

/** A disk that refuses is what one calls a doctor for. */
async function reportDiskErrors(name: string, runCheck: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await runCheck();
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    const { path } = error as NodeJS.ErrnoException;
    return [
      fault(
        name,
        `${path ?? "a file"} cannot be looked at: the disk gave ${code}`,
        "is it yours, and what it should be? ls -ld shows it; PITH_HOME names another folder",
      ),
    ];
  }
}

const STATE_LABELS: Readonly<Record<Check["state"], string>> = { ok: "ok     ", warning: "warning", fault: "FAULT  " };

function formatCheck({ name, state, says, advice }: Check): string {
  const line = `${STATE_LABELS[state]}  ${name}: ${says}`;
  return advice === undefined ? line : `${line}\n         → ${advice}`;
}
