/** Implements `pith doctor`: runs all checks and prints each result with what to do about it. */

import { diskErrorCode } from "@pith/context/node";
import type { Call, Outcome } from "../../args/subcommand.ts";
import { type Check, completionCheck, diskChecks, fault, keyChecks, machineChecks, trustCheck } from "./checks.ts";
import { rightsCheck, sessionChecks } from "./file-checks.ts";
import { permissionChecks } from "./permission-checks.ts";
import { sandboxChecks } from "./sandbox-checks.ts";

export async function examined(call: Call): Promise<Outcome> {
  const [session] = call.arguments;
  if (session !== undefined) return await (await import("./session-damage.ts")).examineSession(session, call);
  const checks: Check[] = [];
  for (const [name, look] of LOOKS) checks.push(...(await tried(name, async () => [await look(call)].flat())));
  const isBroken = checks.some(({ state }) => state === "fault");
  const text = checks.map(lineOf).join("\n");
  return { type: "shown", text, data: { checks }, ...(isBroken && { code: 1 }) };
}

const LOOKS: readonly (readonly [name: string, look: (call: Call) => Promise<Check | readonly Check[]>])[] = [
  ["machine", machineChecks],
  ["sandbox", sandboxChecks],
  ["rights", rightsCheck],
  ["keys", keyChecks],
  ["trust", trustCheck],
  ["rules", permissionChecks],
  ["sessions", sessionChecks],
  ["disk", diskChecks],
  ["completions", completionCheck],
];

/** A disk that refuses is what one calls a doctor for. */
async function tried(name: string, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
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

const MARKS: Readonly<Record<Check["state"], string>> = { ok: "ok     ", warning: "warning", fault: "FAULT  " };

function lineOf({ name, state, says, advice }: Check): string {
  const line = `${MARKS[state]}  ${name}: ${says}`;
  return advice === undefined ? line : `${line}\n         → ${advice}`;
}
