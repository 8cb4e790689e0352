/** Lists the rules and tasks of generated sessions in five languages, and rewords a rule as an honest summary would. */

export type LanguageName = "en" | "de" | "fr" | "es" | "zh";

export interface RuleText {
  readonly text: string;
  /** A later rule on the same subject. */
  readonly replacement?: string;
}

export interface Language {
  readonly name: LanguageName;
  /** The separator between sentences. */
  readonly separator: string;
  readonly rules: readonly RuleText[];
  /** Requests without a rule. `{file}` is replaced. */
  readonly tasks: readonly string[];
  /** Short answers without a rule. */
  readonly answers: readonly string[];
}

export const LANGUAGES: readonly Language[] = [
  {
    name: "en",
    separator: " ",
    rules: [
      {
        text: "CSV with a semicolon is the default output of every report.",
        replacement: "From now on JSON lines are the default output of every report, not CSV.",
      },
      {
        text: "Commit directly to the main branch, one commit per finished step.",
        replacement: "I changed my mind: commit every step to a feature branch, never to main.",
      },
      { text: "Never use default exports in this project." },
      { text: "Error messages go to stderr and begin with the name of the command." },
      { text: "All timestamps are stored in UTC and shown in the Europe/Lisbon zone." },
      { text: "Do not add any runtime dependency without asking me, not even a small one." },
      { text: "Retry a failed upload at most 3 times, then give up with exit code 7." },
      { text: "The customer table is called kunden_alt for historical reasons, leave that name alone." },
    ],
    tasks: [
      "Now write {file} and its tests, then stop.",
      "Please look at {file} again, something is off with the empty case.",
      "Rename the helper in {file} so that its name says what it does.",
      "Run the whole suite and show me only what fails.",
      "Split {file} in two, the parser and the printer.",
      "Explain in two sentences what {file} does at start-up.",
    ],
    answers: ["yes", "2", "go on", "the second one, please", "looks good, continue"],
  },
  {
    name: "de",
    separator: " ",
    rules: [
      {
        text: "Der Dienst lauscht immer auf Port 4711, und das ist nicht einstellbar.",
        replacement: "Ab jetzt darf LAGER_PORT den Port des Dienstes überschreiben, 4711 bleibt nur der Vorgabewert.",
      },
      {
        text: "Protokolle werden 14 Tage aufbewahrt und danach gelöscht.",
        replacement: "Neue Vorgabe: Protokolle werden jetzt 90 Tage aufbewahrt, nicht mehr 14.",
      },
      { text: "Kundennummern dürfen niemals in einer Fehlermeldung stehen." },
      { text: "Alle Beträge sind ganze Rappen, Gleitkommazahlen sind dafür verboten." },
      { text: "Im Verzeichnis vorlagen/ wird nichts verändert, das gehört dem Marketing." },
      { text: "Jede öffentliche Funktion bekommt einen Kommentar auf Deutsch, höchstens zwei Zeilen." },
      { text: "Die Prüfsumme wird mit SHA-256 gebildet, auch für alte Dateien." },
      { text: "Auslieferungen gibt es nur dienstags, nie vor einem Feiertag." },
    ],
    tasks: [
      "Schreib jetzt bitte {file} mit den passenden Tests.",
      "Schau dir {file} noch einmal an, der leere Fall stimmt nicht.",
      "Zeig mir nur die Tests, die fehlschlagen.",
      "Räum in {file} auf, aber ohne das Verhalten zu ändern.",
      "Erklär mir kurz, wozu {file} da ist.",
    ],
    answers: ["ja", "weiter so", "die erste Variante", "passt, mach weiter"],
  },
  {
    name: "fr",
    separator: " ",
    rules: [
      {
        text: "Les factures sont numérotées par année, en repartant de 1 chaque janvier.",
        replacement: "Finalement les factures ont une numérotation continue, sans repartir de 1 chaque année.",
      },
      {
        text: "Le délai maximal d'une requête est de 5 secondes.",
        replacement: "Correction du service réseau : le délai maximal d'une requête passe à 20 secondes.",
      },
      { text: "Aucun mot de passe ne doit apparaître dans les journaux, même masqué." },
      { text: "Les noms de fichiers restent en minuscules, avec des tirets." },
      { text: "Ne touche jamais au dossier archives/, il sert de preuve juridique." },
      { text: "Chaque migration doit pouvoir être annulée sans perte de données." },
      { text: "Les messages destinés aux clients vouvoient toujours le lecteur." },
      { text: "La base de recette se trouve sur le serveur heron-12, jamais en local." },
    ],
    tasks: [
      "Écris maintenant {file} avec ses tests.",
      "Regarde encore {file}, le cas vide ne marche pas.",
      "Montre-moi seulement ce qui échoue.",
      "Découpe {file} en deux modules.",
      "Explique en une phrase à quoi sert {file}.",
    ],
    answers: ["oui", "continue", "la deuxième option", "parfait, on avance"],
  },
  {
    name: "es",
    separator: " ",
    rules: [
      {
        text: "Los pedidos se guardan en SQLite, en un solo archivo.",
        replacement: "Cambio de planes: los pedidos se guardan ahora en PostgreSQL y ya no en SQLite.",
      },
      {
        text: "El importador ignora las líneas vacías sin avisar.",
        replacement: "Desde hoy el importador debe avisar de las líneas vacías, no ignorarlas.",
      },
      { text: "Nunca mezcles tabuladores y espacios en el código." },
      { text: "Las pruebas usan solamente datos inventados, jamás datos de clientes." },
      { text: "El informe mensual lleva siempre el logotipo antiguo, también en la portada." },
      { text: "Cada cambio de esquema necesita la aprobación de Marta Quiroga antes de empezar." },
      { text: "Los precios se redondean hacia arriba, con dos decimales." },
      { text: "No uses expresiones regulares para leer HTML, usa el analizador existente." },
    ],
    tasks: [
      "Ahora escribe {file} y sus pruebas.",
      "Revisa otra vez {file}, falla con la lista vacía.",
      "Enséñame solo lo que no pasa.",
      "Separa {file} en dos partes.",
      "Dime en una frase para qué sirve {file}.",
    ],
    answers: ["sí", "sigue", "la primera opción", "vale, adelante"],
  },
  {
    name: "zh",
    separator: "",
    rules: [
      {
        text: "导出文件一律使用 GBK 编码，方便旧系统读取。",
        replacement: "更正：导出文件从现在起一律使用 UTF-8 编码，不再使用 GBK。",
      },
      {
        text: "缓存有效期固定为 10 分钟，不允许配置。",
        replacement: "缓存有效期改为 60 分钟，并且允许通过配置调整。",
      },
      { text: "所有日期都写成 2026-11-20 这种格式。" },
      { text: "请不要在代码里使用拼音命名变量。" },
      { text: "接口返回的金额单位永远是分，不是元。" },
      { text: "测试环境禁止发送真实短信，违者会收到投诉。" },
      { text: "用户头像最大 200 KB，超过的直接拒绝。" },
      { text: "数据库备份保存在 crane-07 上，任何人不得删除。" },
    ],
    tasks: [
      "现在请编写 {file} 和对应的测试。",
      "再检查一下 {file}，空列表的情况有问题。",
      "只给我看失败的测试。",
      "把 {file} 拆成两个模块。",
      "用一句话说明 {file} 的作用。",
    ],
    answers: ["好的", "继续", "选第二个", "可以，接着做"],
  },
];

/** Rewords a sentence slightly: drops the articles, and puts the last clause or phrase first. */
export function rewordSentence(sentence: string, language: LanguageName): string {
  const plain = sentence.replace(/[.。!！]$/u, "");
  const withoutArticles = plain.replaceAll(ARTICLES[language], "").replaceAll(/ {2,}/g, " ").trim();
  return moveEndToFront(withoutArticles, language);
}

const ARTICLES: Readonly<Record<LanguageName, RegExp>> = {
  en: /\b(?:the|an?)\b /gi,
  de: /(?<!\p{L})(?:der|die|das|den|dem|des|eine?[nmrs]?)(?!\p{L}) /giu,
  fr: /(?<![\p{L}'])(?:les?|la|une?|des|du)(?!\p{L}) /giu,
  es: /(?<!\p{L})(?:el|l[ao]s?|un[ao]?)(?!\p{L}) /giu,
  zh: /请/g,
};

function moveEndToFront(sentence: string, language: LanguageName): string {
  const comma = language === "zh" ? "，" : ", ";
  const [first = "", ...rest] = sentence.split(comma);
  if (rest.length > 0) return `${rest.join(comma)}${comma}${first}`;
  const [, start, end] = LAST_PHRASE.exec(sentence) ?? [];
  return start !== undefined && end !== undefined ? `${end}: ${start}` : sentence;
}

/** A phrase at the end that begins with a preposition. */
const LAST_PHRASE = /^(.+) ((?:in|with|of|und|en|con|avec|par|sans|de|mit|nach|auf) [^:]+)$/u;

/** Returns whether a line has all words of a sentence that are not articles. */
export function hasWordsOf(line: string, sentence: string, language: LanguageName): boolean {
  const plainLine = line.toLowerCase();
  return listWords(rewordSentence(sentence, language)).every((word) => plainLine.includes(word));
}

/** Lists the words and numbers. A Chinese clause is one word. */
function listWords(sentence: string): readonly string[] {
  return sentence.toLowerCase().match(/\p{sc=Han}+|[[\p{L}\p{N}_\/]--\p{sc=Han}]+(?:-[\p{L}\p{N}]+)*/gv) ?? [];
}
