/** Reads the commands of recorded sessions, which nobody wrote to test permissions. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Rules that users have: each program with any words. */
export const DENY_RULES: readonly string[] = ["rm -rf:*", "git push:*", "curl:*", "sudo:*", "npm publish:*"];

const FILES = [
  ...["pi-sessions/before-compaction.jsonl", "pi-sessions/large-session.jsonl"],
  ...["played/session.jsonl", "played-rules/session.jsonl"],
];

const fixtures = fileURLToPath(new URL("../../../../../shared/fixtures/", import.meta.url));

/** The commands of the recorded sessions, each once. */
export function readRecordedLines(): readonly string[] {
  return [...new Set(readRecordedCommands())];
}

/** Also those of sessions that were written down as text. */
export function readHonestLines(): readonly string[] {
  const { sessions } = JSON.parse(readFileSync(`${fixtures}honest-sessions.json`, "utf8"));
  const commands: readonly string[] = sessions.flatMap(
    ({ session }: { readonly session: readonly string[] }) => session,
  );
  return [
    ...readRecordedCommands(),
    ...commands.flatMap((line) => /^calls: bash command=(.*)$/s.exec(line)?.slice(1) ?? []),
  ];
}

function readRecordedCommands(): readonly string[] {
  const entries = FILES.flatMap((file) =>
    readFileSync(`${fixtures}${file}`, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  return entries.flatMap((line) => commandsOf(JSON.parse(line).message ?? {}));
}

interface RecordedMessage {
  readonly role?: string;
  readonly command?: string;
  readonly content?: readonly { readonly type: string; readonly arguments?: { readonly command?: unknown } }[] | string;
}

function commandsOf({ role, command, content }: RecordedMessage): readonly string[] {
  if (role === "bashExecution" && command !== undefined) return [command];
  const calls = Array.isArray(content) ? content : [];
  return calls.flatMap((part) => (typeof part.arguments?.command === "string" ? [part.arguments.command] : []));
}
