/** The pins of a branch, as a list to choose from. */

import { type Pin, plainText, type Session } from "@pith/context";
import { told } from "../answers.ts";
import type { Answer } from "../command.ts";
import { shortId } from "../walking/short-id.ts";

export function pinsTold(session: Session): Answer {
  const { pins } = session.window.state;
  if (pins.length === 0) return told("nothing is pinned; /pin and some words keep them through every compaction", []);
  return told(pins.map(lineOf).join("\n"), pins);
}

function lineOf({ id, text }: Pin, at: number): string {
  return `${String(at + 1).padStart(2)}  ${shortId(id)}  ${plainText(text, WIDTH)}`;
}

const WIDTH = 100;
