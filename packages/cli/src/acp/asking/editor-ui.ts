/** What extensions ask and show, in an editor: forms where it has them, else the buttons of a permission request. */

import { randomUUID } from "node:crypto";
import type {
  CreateElicitationRequest,
  ElicitationPropertySchema,
  PermissionOption,
  RequestPermissionRequest,
  SendRequestOptions,
} from "@agentclientprotocol/sdk/unstable";
import type { ExtensionUi, UiAsking } from "@pith/agent";
import { noteUpdate } from "../updates/words.ts";
import type { Asking } from "./asking.ts";

export function editorUi(asking: Asking): ExtensionUi {
  const { sight, tell } = asking;
  const { forms } = sight.can;
  return {
    select: async (title, options, wish) => {
      if (forms) return asText(await formed(title, { type: "string", enum: [...options] }, { asking, wish }), options);
      const buttons = options.map((name, at): PermissionOption => ({ optionId: `${at}`, name, kind: kindOf(name) }));
      const chosen = await pressed(title, buttons, { asking, wish });
      return chosen === null ? undefined : options[Number(chosen)];
    },
    confirm: async (title, message, wish) => {
      const words = [title, message].filter((text) => text !== "").join("\n\n");
      if (forms) return (await formed(words, { type: "boolean", title }, { asking, wish })) === true;
      return (await pressed(words, YES_NO, { asking, wish })) === "yes";
    },
    input: async (title, placeholder, wish) => {
      if (!forms) return undefined;
      const field = { type: "string", ...(placeholder !== undefined && { description: placeholder }) } as const;
      return asText(await formed(title, field, { asking, wish }));
    },
    notify: (text, severity = "info") => void tell(noteUpdate({ text, severity }, sight.can)),
    setStatus: () => {},
    setWidget: () => {},
  };
}

/** An editor that marks or chooses by the kind takes no "No" for a yes. */
function kindOf(option: string): PermissionOption["kind"] {
  return /^no(?:,|$)/i.test(option) ? "reject_once" : "allow_once";
}

const YES_NO: readonly PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

interface Way {
  readonly asking: Asking;
  readonly wish: UiAsking | undefined;
}

/** Undefined where it was left without an answer. */
async function formed(message: string, field: ElicitationPropertySchema, { asking, wish }: Way): Promise<unknown> {
  const open = asking.session();
  if (!open) return undefined;
  const form: CreateElicitationRequest = {
    ...{ mode: "form", sessionId: open.id, message },
    requestedSchema: { type: "object", properties: { answer: field }, required: ["answer"] },
  };
  const response = await asking.client
    .request("elicitation/create", form, waiting(wish))
    // Whoever has left, or was not asked in time, has not answered.
    .catch(() => null);
  if (response?.action !== "accept" || !("content" in response)) return undefined;
  const { content } = response;
  return typeof content === "object" && content !== null && "answer" in content ? content.answer : undefined;
}

/** The id of the button; null where it was left without an answer. */
async function pressed(
  title: string,
  options: readonly PermissionOption[],
  { asking, wish }: Way,
): Promise<string | null> {
  const open = asking.session();
  if (!open) return null;
  const toolCall = { toolCallId: `asked-${randomUUID()}`, title, kind: "other", status: "pending" } as const;
  const question: RequestPermissionRequest = { sessionId: open.id, toolCall, options: [...options] };
  const response = await asking.client.request("session/request_permission", question, waiting(wish)).catch(() => null);
  return response?.outcome.outcome === "selected" ? response.outcome.optionId : null;
}

function waiting({ signal, timeout }: UiAsking = {}): SendRequestOptions {
  const signals = [...(signal ? [signal] : []), ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)])];
  return signals.length === 0 ? {} : { cancellationSignal: AbortSignal.any(signals), stopWaitingOnCancel: true };
}

function asText(value: unknown, options?: readonly string[]): string | undefined {
  return typeof value === "string" && (options?.includes(value) ?? true) ? value : undefined;
}
