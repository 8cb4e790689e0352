/** Switches the permission mode: Shift+Tab cycles plan, ask and edit. Mode `all` is never in the cycle and must be confirmed. */

import type { PermissionMode } from "@pith/agent";
import { getModeRefusal, listPermittedModes } from "@pith/host/policy/policy";
import { describeMode, permissionModes } from "../../../commands/settings.ts";
import { keyHint } from "../../../settings/keymap.ts";
import type { ScreenApi, SessionScreen } from "../screen-context.ts";
import { createChoicePanel } from "./choice.ts";

/** Handles Shift+Tab. After `all` comes the strictest mode. */
export function cycleMode(context: SessionScreen<"permissions" | "permissionMode" | "settings">): boolean {
  const { app } = context;
  const cycle: readonly PermissionMode[] = listPermittedModes(app.settings.policy).filter((mode) => mode !== "all");
  const next = cycle[(cycle.indexOf(app.permissions.mode) + 1) % Math.max(1, cycle.length)];
  if (next !== undefined) setMode(next, context);
  return true;
}

/** Handles `/mode` and `/mode <name>`. The user must confirm `all`. Returns false if the command itself must run. */
export async function openMode(
  args: string,
  context: SessionScreen<"permissions" | "permissionMode" | "settings">,
): Promise<boolean> {
  if (args !== "" && args !== "all") return setNamedMode(args, context);
  const refusal = args === "all" ? getModeRefusal(context.app.settings.policy, "all") : null;
  if (refusal !== null) {
    context.screen.showNote(refusal);
    return true;
  }
  const mode = args === "all" ? "all" : await askMode(context);
  if (mode === null || (mode === "all" && !(await confirmAllMode(context.screen)))) return true;
  context.screen.showNote(setMode(mode, context) ?? describeMode(mode));
  return true;
}

/** False if there is no such mode; the command then reports the error. */
function setNamedMode(args: string, context: SessionScreen<"permissions" | "permissionMode" | "settings">): boolean {
  const mode = permissionModes.find(({ name }) => name === args);
  if (!mode) return false;
  context.screen.showNote(setMode(mode.name, context) ?? describeMode(mode.name));
  return true;
}

/** Returns null, or the reason why the mode cannot be set. */
function setMode(mode: PermissionMode, { app, screen }: SessionScreen<"permissionMode">): string | null {
  const refusal = app.permissionMode.set(mode);
  if (refusal === null) screen.update((state) => ({ ...state, footer: { ...state.footer, permissionMode: mode } }));
  return refusal;
}

async function askMode({ app, screen }: SessionScreen<"permissions" | "settings">): Promise<PermissionMode | null> {
  const current = app.permissions.mode;
  const permittedModes = listPermittedModes(app.settings.policy);
  const modes = permissionModes.filter(({ name }) => permittedModes.includes(name));
  const options = modes.map(({ name, description }) => ({ label: name.padEnd(4), description, value: name }));
  const title = "Choose a permission mode";
  const initialIndex = modes.findIndex(({ name }) => name === current);
  return await screen.showPanel(createChoicePanel({ title, options, initialIndex }), { where: "inline" });
}

async function confirmAllMode(screen: ScreenApi): Promise<boolean> {
  const cycleKey = keyHint("mode", screen.state.keymap) ?? "/mode";
  const panel = createChoicePanel({
    title: "Let the agent act without asking?",
    body: ({ theme }) => [
      "",
      ...(screen.state.footer.isSandboxed ? SANDBOX_WARNING : NO_SANDBOX_WARNING),
      theme.dim(` The mode lasts until you exit Pith or change it with ${cycleKey}.`),
      "",
    ],
    options: [
      { key: "n", label: "No, keep the current mode", value: false },
      { key: "y", label: "Yes", value: true, isLasting: true },
    ],
  });
  return (await screen.showPanel(panel, { where: "inline", question: "follow-up" })) ?? false;
}

const SANDBOX_WARNING: readonly string[] = [
  " It can change files in this folder, run commands in the sandbox, run git push, and use every tool.",
  " It still asks about new hosts, secrets, ports, protected files, files outside this folder, and commands outside the sandbox.",
];

const NO_SANDBOX_WARNING: readonly string[] = [
  " There is no sandbox: it can change and delete any file that you can, and run any command.",
  " It still asks about secrets.",
];
