/** Asks for permission when a sandboxed command changes settings of a repository that git could run a program by. */

import type { PermissionCheck } from "@pith/agent";
import { describeChange, describeEffect, type PermitGitSettings } from "@pith/agent/node";

/** The decision is that about an edit of the file: rules for `edit` apply, and a yes holds for the same settings in this session. */
export function createGitSettingsCheck(permissions: PermissionCheck): PermitGitSettings {
  return async ({ file, changes, command }, { signal }) => {
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
