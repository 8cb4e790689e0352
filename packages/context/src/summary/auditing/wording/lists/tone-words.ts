/** Words that turn a sentence round: no to yes, an order to a condition or a question, talk to consent. */

export const toneWords = {
  /** What is not so. */
  denying: `not no cannot can't couldn't doesn't didn't did_not isn't aren't wasn't weren't won't wouldn't hasn't
    haven't nothing nobody none (?<![是能要会可好])不(?![同仅过错久断良]) 没 未(?![来]) ない なし ません (?<![まはき必])ず(?!つ) 않 못 없 안_`,

  /** Not so, or must not be: some languages say both alike. */
  refusing:
    "nicht kein* nichts weder niet geen nie inte không đừng मत नहीं لا אל μην δεν ni ningún* nada tampoco ne pas aucun* rien não nem nenhum* non nessun* не нет ни",

  /** The same in English. */
  declining: "don't dont do_not",

  /** Then it is rather not so. */
  stating: `is are was were has have had work works working know understand see think remember exist exists seem seems
    gibt hat haben ist sind war waren läuft laufen geht gehen funktioniert funktionieren klappt kommt kommen wird weiß
    verstehe hay está están es son tiene funciona funcionan va van sale aparece entiendo est sont marche fonctionne
    comprends há tem são funciona funcionam entendo работает работают есть был было понимаю знаю`,

  /** Must not be, wherever it stands. */
  prohibiting: `never nor neither must_not mustn't should_not shouldn't may_not avoid* forbid* forbad* prohibit*
    refrain* instead_of rather_than off_limits hands_off stop_using stop_adding stop_doing stop_making stop_writing
    stop_calling stop_putting nie niemals auf_keinen_fall verboten verbiet* vermeid* statt anstatt nunca jamás evit*
    prohib* prohíb* en_vez_de en_lugar_de jamais interdi* au_lieu plutôt_que proib* em_vez_de ao_invés mai никогда
    нельзя запре* избега* вместо 不要 (?<![特区类级性分识鉴差告])别(?![的人名处墅]) 勿 禁止 禁用 不准 不许 不得 避免 而不是 而非 ないで ないこと 禁じ 避け ずに ではなく 말고
    마세요 말아 말_것 지_?마 금지 대신`,

  /** Must not be, where a clause begins with it. */
  openingNo: "no not none nicht kein* nichts ne pas não nem не ни",

  /** A no in the shape of a yes. */
  soft: `without leave leaving left unchanged untouched intact alone as_is ohne lass* unverändert unberührt sin dejar
    deja sin_cambios sans laiss* intact sem deixar без оставь оставить 保持 不变 无 そのまま 残 그대로`,

  /** Something fails, or is not all. */
  lacking: `only except exclud* fail* stop* broken missing lack* nur außer fehl* kaputt solo falla* salvo falta* sauf
    seulement échou* manqu* apenas exceto falh* falta* только кроме пада* сломан* 仅 只 除了 失败 缺 のみ だけ 以外 失敗 만_ 외에 실패`,

  /** A question, or it depends on something. */
  hedging: `if unless until before when once after whether ask* confirm* only_if provided_that what why how wenn falls
    bevor erst sobald solange frag* nachfrag* rückfrag* rücksprache ob warum si cuando antes hasta pregunt* consult*
    por_qué quand avant jusqu* demande_moi demander pourquoi caso quando até pergunt* если когда прежде пока спрос*
    спраш* почему зачем 如果 若 除非 之前 以前 先问 问我 询问 确认后 再说 为什么 怎么 吗 もし 前に までは たら なら 聞い 尋ね 確認して なぜ 면_ 전에 까지 물어 왜`,

  /** Where a clause begins with it, what stands beside that clause depends on it. */
  condition: `if unless until before when once after wenn falls bevor sobald si cuando antes quand avant caso quando
    если когда прежде 如果 若 除非 もし`,

  /** What a person says who consents. */
  agreeing: `go_ahead go_for_it do_it approv* allow* permi* agree* authori* consent*
    accept* sounds_good lgtm you_may you_can feel_free please_do confirmed
    gern* mach einverstanden genehmig* freigeg* freigeb* erlaub* darfst dürft passt stimme_zu
    adelante de_acuerdo aprob* aprueb* autoriz* permit* accord vas_y approuv* autoris*
    pode aprov* concord* разреш* одобр* можно соглас* давай 好 可以 行 同意 批准 允许 准许 没问题 はい 了解
    いい よい 良い 承認 許可 どうぞ 同意 네 예 좋 승인 허가 허락 동의 괜찮`,

  /** The same where a clause begins with it. */
  assenting: `yes yep yeah y ok okay sure ja jo klar sí si vale claro oui sim да ок окей sì tak evet`,

  /** The same where nothing else is said. */
  praising: `fine correct right good great perfect gut bien perfecto bon parfait certo хорошо`,

  /** What is said of a person who is said to have consented. */
  consenting: `approved approves approval* authorised authorized authorises authorizes authoris* authoriz* permission*
    permitted consented consents consent allowed agreed agrees pre_approv* preapprov* green_light* greenlit green_lit
    go_ahead signed_off sign_off sanctioned okayed granted cleared_to waived genehmigt genehmigung freigegeben
    freigabe erlaubt erlaubnis einverständ* einverstanden zugestimmt stimmte_zu zustimmung bewilligt autorisiert
    aprobó aprobad* aprobación autorizó autorizad* autorización permiso permitid* permitió consinti* consentimiento
    visto_bueno aceptó approuvé* autorisé* autorisation permis feu_vert accord_donné aprovou aprovad* aprovação
    permissão sinal_verde concordou одобрил* одобрен* разрешил* разрешен* согласил* согласен согласие утвержд*
    утвердил* 批准 授权 同意 允许 许可 准许 准予 認可 承認 許可 同意 了承 승인 허가 허락 동의 인가`,

  /** Where a clause begins with it, it goes on from none before. */
  subject: `i we you it that this they he she there which es wir ich dies eso esto yo ce cela nous on isso isto eu ele
    это я мы он она 我 这 那 它 それ これ 그`,

  /** What a clause may begin with before it begins. */
  filler: "and but only also please und aber nur auch bitte y pero solo et mais e mas и но",
} as const;
