/** Asks for permission when a sandboxed command changes settings of a repository that git could run a program by. */

import type { PermissionCheck, Permissions } from "@pith/agent";
import { describeChange, describeEffect, type GitSettingChange, type PermitGitSettings } from "@pith/agent/node";

export type GitSettingsPermissions = PermissionCheck & Pick<Permissions, "hasPermittedLine">;

/** The decision is that about an edit of the file: rules for `edit` apply, and a yes holds for the same settings in this session. */
export function createGitSettingsCheck(permissions: GitSettingsPermissions): PermitGitSettings {
  return async ({ file, changes, command }, { signal }) => {
    if (permissions.hasPermittedLine(command) && changes.every((change) => isSpelledOut(change, command)))
      return { type: "allowed" };
    const gitSettings = { command, changes: changes.map(describeChange), effect: describeEffect(changes) };
    const request = {
      tool: "edit",
      arguments: { path: file, settings: gitSettings.changes.join("\n"), command },
      intent: { type: "change", paths: [file], gitSettings },
    } as const;
    const result = await permissions.permit(request, { signal });
    return result.type === "permitted" ? { type: "allowed" } : result;
  };
}

/** Whether the line itself names the setting and its value: a user who permitted the line has read both. */
function isSpelledOut({ type, key, value }: GitSettingChange, line: string): boolean {
  if (type !== "set" || value === null || value.length < MIN_SPELLED_CHARS || !line.includes(value)) return false;
  const remote = /^remote\.([\w-]+)\.url$/.exec(key)?.[1];
  if (remote === undefined) return line.toLowerCase().includes(key.toLowerCase());
  return new RegExp(`\\bremote (?:add|set-url) (?:-\\S+ )*${remote} `).test(line);
}

/** A shorter value could be a part of any line. */
const MIN_SPELLED_CHARS = 3;
