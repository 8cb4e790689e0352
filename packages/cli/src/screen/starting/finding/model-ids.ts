/** The models a provider says it has, from its own list; those that cannot hold a conversation are left out. Pure. */

/** Of whatever was answered; empty where it is no list of models. */
export function modelIds(answer: unknown): readonly string[] {
  const { data, models } = Object(answer) as { readonly data?: unknown; readonly models?: unknown };
  const listed = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return listed.slice(0, MOST).flatMap((each) => idOf(Object(each)) ?? []);
}

const MOST = 2000;

/** Google writes `models/NAME`, and says what each can do. */
function idOf({ id, name, supportedGenerationMethods: can }: Listed): string | null {
  const own = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
  if (Array.isArray(can) && !can.includes("generateContent")) return null;
  return own === "" || own.length > LONGEST || NO_TALKER.test(own) ? null : own;
}

interface Listed {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly supportedGenerationMethods?: unknown;
}

const LONGEST = 200;
const NO_TALKER =
  /embed|tts|whisper|transcri|speech|audio|realtime|moderation|dall-e|image|imagen|veo|sora|rerank|ocr|guard/i;
