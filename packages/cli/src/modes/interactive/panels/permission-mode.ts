/** Switches the permission mode: Shift+Tab cycles plan, ask and edit. Mode `all` is never in the cycle and must be confirmed. */

import type { PermissionMode } from "@pith/agent";
import { modes, modeTold } from "../../../commands/settings.ts";
import { permittedModes, refuseMode } from "../../../policy/policy.ts";
import { keyHint } from "../../../settings/keymap-text.ts";
import type { Stage, Talking } from "../screen-context.ts";
import { choice } from "./choice.ts";

/** Shift+Tab: from `all` it goes to the strictest. */
export function nextMode(talking: Talking): boolean {
  const { built, place } = talking.ready;
  const round: readonly PermissionMode[] = permittedModes(place.choices.policy).filter((mode) => mode !== "all");
  const next = round[(round.indexOf(built.permissions.mode) + 1) % Math.max(1, round.length)];
  if (next !== undefined) setMode(next, talking);
  return true;
}

/** `/mode`, and `/mode all`, which is confirmed; the rest is done by the command. */
export async function openMode(words: string, talking: Talking): Promise<boolean> {
  if (words !== "" && words !== "all") return named(words, talking);
  const refusal = words === "all" ? refuseMode(talking.ready.place.choices.policy, "all") : null;
  if (refusal !== null) {
    talking.screen.tell(refusal);
    return true;
  }
  const wanted = words === "all" ? "all" : await chosenMode(talking);
  if (wanted === null || (wanted === "all" && !(await isConfirmed(talking.screen)))) return true;
  talking.screen.tell(setMode(wanted, talking) ?? modeTold(wanted));
  return true;
}

/** False where there is no such mode: the command says so. */
function named(words: string, talking: Talking): boolean {
  const wanted = modes.find(({ name }) => name === words);
  if (!wanted) return false;
  talking.screen.tell(setMode(wanted.name, talking) ?? modeTold(wanted.name));
  return true;
}

/** Null, or why it stays as it is. */
function setMode(mode: PermissionMode, { ready, screen }: Talking): string | null {
  const refusal = ready.built.setMode(mode);
  if (refusal === null) screen.change((state) => ({ ...state, facts: { ...state.facts, mode } }));
  return refusal;
}

async function chosenMode({ ready, screen }: Talking): Promise<PermissionMode | null> {
  const now = ready.built.permissions.mode;
  const permitted = permittedModes(ready.place.choices.policy);
  const offered = modes.filter(({ name }) => permitted.includes(name));
  const options = offered.map(({ name, says }) => ({ label: name.padEnd(4), says, value: name }));
  const title = "What may be done without a question?";
  const at = offered.findIndex(({ name }) => name === now);
  return await screen.ask(choice({ title, options, at }), { where: "inline" });
}

async function isConfirmed(screen: Stage): Promise<boolean> {
  const away = keyHint("mode", screen.state.keymap) ?? "/mode";
  const panel = choice({
    title: "Let it act without asking?",
    body: ({ theme }) => [
      "",
      ...(screen.state.facts.isSandboxed ? WITH_SANDBOX : WITHOUT_SANDBOX),
      theme.dim(` The mode ends with this program, or with ${away}.`),
      "",
    ],
    options: [
      { key: "n", label: "No, leave it as it is", value: false },
      { key: "y", label: "Yes", value: true, isLasting: true },
    ],
  });
  return (await screen.ask(panel, { where: "inline" })) ?? false;
}

const WITH_SANDBOX: readonly string[] = [
  " It changes files in this folder, runs commands in the sandbox, pushes, and uses every tool.",
  " It still asks about new hosts, secrets, ports, files elsewhere and commands outside the sandbox.",
];

const WITHOUT_SANDBOX: readonly string[] = [
  " There is no sandbox: it may change and delete files anywhere you can, and run any command.",
  " It still asks about secrets.",
];
