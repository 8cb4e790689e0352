/** What a path says: which model is asked, and whether its reply is to come in pieces. */

export interface Addressed {
  readonly model: string;
  readonly streams: boolean;
}

export function addressed(path: string): Addressed | null {
  const [, model, way] =
    /\/v1(?:beta|alpha)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path) ?? [];
  return model === undefined ? null : { model, streams: way === "streamGenerateContent" };
}
