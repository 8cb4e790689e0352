/** Implements `pith doctor`: runs all checks and prints each result with advice, or checks the lines of one session. */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { diskErrorCode } from "@pith/context/node";
import { type Damage, harmlessDamageKinds } from "@pith/context/store";
import { formatCount } from "@pith/host/text/format";
import { escapeControls, truncate } from "@pith/host/text/safe-text";
import type { SubcommandCall, SubcommandResult } from "../../args/subcommand.ts";
import { findSessionForCall, readSession } from "../../sessions/find-session.ts";
import {
  type Check,
  checkCompletions,
  checkConfiguration,
  checkDisk,
  checkFolderTrust,
  checkMachine,
  checkPermissions,
  failure,
} from "./checks.ts";
import { checkFilePermissions, checkSessions } from "./file-checks.ts";
import { checkSandbox } from "./sandbox-checks.ts";

export async function runDoctor(call: SubcommandCall): Promise<SubcommandResult> {
  const [sessionRef] = call.arguments;
  if (sessionRef !== undefined) return await runSessionDoctor(sessionRef, call);
  const checks: Check[] = [];
  for (const [name, runCheck] of CHECKS)
    checks.push(...(await reportDiskErrors(name, async () => [await runCheck(call)].flat())));
  const isBroken = checks.some(({ state }) => state === "error");
  const text = checks.map(formatCheck).join("\n");
  return { type: "success", text, data: { checks }, ...(isBroken && { code: 1 }) };
}

const CHECKS: readonly (readonly [
  name: string,
  runCheck: (call: SubcommandCall) => Promise<Check | readonly Check[]>,
])[] = [
  ["machine", checkMachine],
  ["sandbox", checkSandbox],
  ["file permissions", checkFilePermissions],
  ["keys", checkConfiguration],
  ["trust", checkFolderTrust],
  ["rules", checkPermissions],
  ["sessions", checkSessions],
  ["disk", checkDisk],
  ["completions", checkCompletions],
];

/** Reports a disk error as the result of the check instead of failing: finding such errors is the purpose of the command. */
async function reportDiskErrors(name: string, runCheck: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await runCheck();
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    const { path } = error as NodeJS.ErrnoException;
    return [
      failure(
        name,
        `cannot access ${path ?? "a file"}: ${code}`,
        "check its owner and type with ls -ld, or set PITH_HOME to a different folder",
      ),
    ];
  }
}

const STATE_LABELS: Readonly<Record<Check["state"], string>> = { ok: "ok     ", warning: "warning", error: "ERROR  " };

function formatCheck({ name, state, message, advice }: Check): string {
  const line = `${STATE_LABELS[state]}  ${name}: ${message}`;
  return advice === undefined ? line : `${line}\n         → ${advice}`;
}

async function runSessionDoctor(sessionRef: string, call: SubcommandCall): Promise<SubcommandResult> {
  const match = await findSessionForCall(sessionRef, call);
  if (match.type === "mistake") return match;
  const { path } = match;
  const result = await readSession(path, async (store) => ({ type: "checked" as const, damage: await store.check() }));
  if (result.type === "failed") return result;
  const damage = result.damage.map((item) => ({ ...item, text: readDamagedText(path, item) }));
  const savedCopies = [`${path}.damaged`, `${path}.bak`].filter((copy) => existsSync(copy));
  const hasHarmfulDamage = damage.some(({ kind }) => !harmlessDamageKinds.has(kind));
  const text = [
    formatSummary(path, damage.length),
    ...damage.map(formatDamage),
    ...formatAdvice(damage.length, savedCopies),
  ].join("\n");
  return { type: "success", text, data: { path, damage, savedCopies }, ...(hasHarmfulDamage && { code: 1 }) };
}

function formatSummary(path: string, count: number): string {
  if (count === 0) return `${path}: every line is readable and intact`;
  return `${path}: ${formatCount(count, "problem")}`;
}

function formatDamage({ line, note, kind, text }: Damage & { readonly text: string }): string {
  const harmNote = harmlessDamageKinds.has(kind) ? " (no data lost)" : "";
  const excerpt = truncate(escapeControls(text), MAX_EXCERPT_CHARS);
  return `\nline ${line}: ${note}${harmNote}${excerpt === "" ? "" : `\n  ${excerpt}`}`;
}

function formatAdvice(count: number, savedCopies: readonly string[]): readonly string[] {
  if (count === 0) return [];
  return [
    "",
    "Damaged lines stay in the file unchanged. Pith skips them and never uses their text.",
    ...savedCopies.map((path) => `Saved copy: ${path}`),
    "If you have a backup, replace the file with it while no program has the session open.",
  ];
}

function readDamagedText(path: string, { offset, length }: Damage): string {
  const bytes = Buffer.alloc(Math.min(length, MAX_EXCERPT_BYTES));
  const file = openSync(path, "r");
  try {
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, offset));
  } finally {
    closeSync(file);
  }
}

const MAX_EXCERPT_BYTES = 4096;

const MAX_EXCERPT_CHARS = 400;
