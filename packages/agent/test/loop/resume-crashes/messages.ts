/** The messages of the client that is killed. */

interface ClientMessage {
  readonly id: string;
  readonly text: string;
}

export const PROMPT: ClientMessage = { id: "client-prompt", text: "Begin." };
export const STEERING: ClientMessage = { id: "client-steering", text: "Mind the tests." };
export const FOLLOW_UPS: readonly ClientMessage[] = ["One.", "Two.", "Three."].map((text, index) => ({
  id: `client-follow-up-${index + 1}`,
  text,
}));
