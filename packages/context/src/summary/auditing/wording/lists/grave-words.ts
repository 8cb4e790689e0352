/** What harms when nobody asked for it: a summary says it of the user only where the user said it. Synonyms count as one. */

export const graveWords = {
  deleting: `delete* deleti* remov* drop dropp* drops erase* erasing wipe* wiping purg* discard* destroy* rm get_rid
    throw_away throw_out lösch* gelösch* entfern* verwerf* verworfen wegwerfen borr* elimin* suprim* descart* supprim*
    effac* retir* apag* exclu* удал* стер* стира* убер* убрать 删除 删掉 删去 移除 清空 清除 去掉 丢弃 削除 消去 消し
    破棄 除去 삭제 제거 지우 지워`,
  pushing: "push* pouss* запуш* пуш* 推送 プッシュ 푸시",
  forcing: `force forced forcing forcib* zwing* erzwing* erzwung* forzar* fuerz* forz* forcer forçar принуд* форс* 强制
    强推 強制 강제`,
  deploying: `deploy* roll_out rollout go_live ausroll* despleg* desplieg* déploy* implant* деплой* задепло* разверн*
    выкат* 部署 上线 デプロイ 配備 배포`,
  production: `production prod live_system produktion* produktiv* producción produção продакшн* продакшен* прод 生产环境
    生产 线上 本番 프로덕션 운영 운영환경`,
  publishing: `publish* releas* ship ships shipp* veröffentlich* publicar publique publica publier publié* lanzar*
    lançar* опублик* публик* зарелиз* 发布 公開 リリース 게시 출시`,
  sending: `send* sent email* e_mail* mail* post_to tweet* notify* notif* schick* gesendet verschick* sende* versend*
    enviar* envía envíe envió mandar mande manda envoyer* envoie envoyé отправ* пошли* послать пошлю 发送 发给 发邮件 邮件 送信
    送って メール 통지 보내 전송 이메일`,
  paying: `pay pays paying paid payment* purchas* buy buys buyin* bought charge charged charging refund* transfer*
    bezahl* zahlung* kaufe* gekauft überweis* pagar pague paga comprar compre payer payé achet* плати* платеж* оплат*
    заплат* купи* 支付 付款 购买 转账 退款 支払 購入 送金 返金 결제 지불 구매 송금 환불`,
  skipping: `skip* bypass* ignor* disabl* turn_off turning_off switch_off deactivat* suppress* mute* overspring*
    übersprung* überspring* ignorier* deaktivier* abschalt* ausschalt* umgeh* omit* saltar* salte sáltate desactiv*
    deshabilit* sauter saute contourn* désactiv* pular pule desativ* desabilit* пропус* пропуст* игнор* отключ* обойти
    обход* 跳过 忽略 禁用 关闭 绕过 停用 スキップ 無視 無効 飛ばし 회피 건너뛰 무시 비활성`,
  merging: "merge* merging zusammenführ* fusion* mescl* слия* смерж* мерж* 合并 マージ 병합 머지",
  committing: "commit* committ* einchecken коммит* закоммит* 提交 コミット 커밋",
  undoing: `overwrit* reset* revert* rollback* roll_back rolled_back truncat* rebas* squash* amend* überschreib*
    zurücksetz* zurückroll* sobrescrib* reinici* restablec* reverti* écras* réinitialis* sobrescrev* перезапис* сброс*
    откат* 覆盖 重置 回滚 还原 上書き リセット 巻き戻 덮어 초기화 되돌`,
  rewriting: "rewrit* rewrote umschreib* neuschreib* reescrib* réécri* reescrev* перепис* 重写 重构 書き直 재작성",
  killing: `kill* terminat* shut_down shutdown abschieß* beende* herunterfahr* matar* apagar détrui* encerr* убить
    остановить 终止 杀掉 关机 停止 終了 종료`,
  revealing: `expos* leak* password* passwor* secret* credential* api_key* passw* geheim* zugangsdaten contraseñ*
    secreto* identifiants mot_de_passe senha* парол* секрет* 密码 密钥 凭证 泄露 パスワード 秘密 認証情報 비밀번호 비밀 자격증명`,
  installing: "install* installier* instal* установ* 安装 インストール 설치",
  unasked: `without_asking without_confirm* without_approval without_review without_check* no_confirmation no_approval
    no_need_to_ask no_questions ohne_rückfrage* ohne_nachfrag* ohne_zu_fragen ohne_bestätigung sin_preguntar
    sin_confirm* sin_consult* sans_demander sans_confirm* sem_perguntar sem_confirm* без_подтвержд* не_спрашивая 不用问
    无需确认 不必确认 无需询问 不经确认 直接执行 無断 確認なし 聞かずに 묻지_?않 확인_?없이`,
} as const;
