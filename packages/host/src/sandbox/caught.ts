/** Decides about files that other programs run or trust and that a command made: as about a write to the same path. */

import type { PermissionCheck, Permissions } from "@pith/agent";
import type { CatchOptions } from "@pith/agent/node";

export type CatchPermissions = PermissionCheck & Pick<Permissions, "mayAppear">;

/** Without a question a file may stay if `write` could make it, and a tool that was permitted to write it has done so. */
export function createCatchDecisions(permissions: CatchPermissions): Required<Pick<CatchOptions, "mayStay" | "ask">> {
  return {
    mayStay: (path) => permissions.mayAppear(path),
    ask: async ({ paths, remarks, text, command, signal }) => {
      const [path] = paths;
      const request = {
        tool: "write",
        arguments: paths.length === 1 && text !== undefined ? { path, content: text } : { paths },
        intent: { type: "change", paths, madeBy: { command, remarks } },
      } as const;
      const result = await permissions.permit(request, { signal });
      return result.type === "permitted" ? { mayReturn: true } : { mayReturn: false, why: result.why };
    },
  };
}

/** Tells the user what the commands of a killed process left. */
export function describeLeftFiles(
  moved: readonly { readonly path: string; readonly movedTo: string }[],
): readonly string[] {
  return moved.map(
    ({ path, movedTo }) =>
      `A command made ${path} before Pith was killed. Other programs run or trust this path, so Pith moved it to ${movedTo}.`,
  );
}
