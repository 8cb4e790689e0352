/** A talk whose agent is at work until a file lets it go on, and what its model has heard. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, Step } from "@pith/testkit";
import { type TalkOn, type TalkWish, talkOn } from "../talk-on.ts";

export interface AtWork extends TalkOn {
  /** Lets the command end. */
  goOn(): void;
}

/** Runs a command first, and then says what the script says. */
export async function atWork(script: Script, wish: TalkWish = {}): Promise<AtWork> {
  const waits: Step = {
    parts: [
      { type: "call", name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done; echo gone" } },
    ],
  };
  const talk = await talkOn([waits, ...(script as readonly Step[])], all(wish));
  talk.say("work");
  await talk.until(() => talk.screen.state.blocks.some((block) => block.kind === "tool" && block.state === "running"));
  return { ...talk, goOn: () => writeFileSync(join(talk.folder, "go"), "") };
}

/** Nobody is asked. */
export function all(wish: TalkWish = {}): TalkWish {
  return { ...wish, wish: { overrides: { permissionMode: "all" }, ...wish.wish } };
}

/** When nothing is under way. */
export async function atRest(talk: TalkOn): Promise<void> {
  await talk.until(
    () => talk.screen.state.activity.type === "idle" && talk.screen.state.pendingShellBlocks.length === 0,
  );
}

/** The texts of the user's messages in a request, oldest first. */
export function heard(talk: TalkOn, request = -1): readonly string[] {
  const body = talk.server.requests.at(request)?.body as { readonly messages: readonly Message[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? [])));
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}
