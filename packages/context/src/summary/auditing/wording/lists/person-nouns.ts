/** What the user is called, language by language, and where such a word means the users of a program, or a name in it. */

export const personNouns = `user customer human requester stakeholder product_owner nutzer nutzers nutzerin benutzer benutzers benutzerin
  anwender anwenders auftraggeber usuario usuaria utilisateur utilisatrice l'utilisateur l'utilisatrice usuário usuária utilizador
  utente l'utente dell'utente gebruiker użytkownik użytkownika użytkownikowi kullanıcı kullanıcının kullanici kullanicinin användaren användarens brugeren
  brukeren người_dùng χρήστης χρήστη пользователь пользователя пользователю пользователем користувач користувача користувачем`;

/** The same where words are not set apart by spaces, or bear their articles. */
export const joinedPersonNouns: readonly string[] = [
  "المستخدم(?!ين|ون|ات)",
  "המשתמש(?!ים|ות)",
  "उपयोगकर्ता(?!ओं)",
  "ผู้ใช้(?!งานทั้งหมด)",
  "(?<!所有|每个|新|各|多个|普通|登录)(?:用户|用戶|使用者)(?!表|名|数|信息|界面|列表|管理|数据|体验|们|登录|注册|ID|输入|目录|组|認證|认证|会话|角色|权限|中心|页|模块|服务|接口|类)",
  "(?<!全|新規|各)ユーザー?(?!ー)(?!名|テーブル|数|一覧|情報|ID|管理|データ|入力|登録|認証|インター|ビリティ|セッション|エージェント|モデル|が?ログイン|設定|ガイド|向け|たち|ズ)",
  "(?<!모든 |신규 )사용자(?! ?(?:테이블|이름|목록|정보|수|ID|관리|데이터|입력|등록|인증|세션|모델|설정|들|별|경험|인터))",
];

/** Right before it: whoever uses the program. */
export const anybody = `a an any each every another no other current new existing admin root guest logged-in signed-in anonymous
  authenticated test end per super regular normal some multiple default system database db local first last same given invalid
  valid unknown missing deleted inactive active registered premium kein keine neue neuer neuen jeder jeden jede die alle pro
  angemeldete angemeldeten einen un una cada nuevo nueva chaque nouvel novo каждый новый jeg`;

/** Right behind it: a thing of the program. */
export const things = `table tables id ids name names input data record records account accounts agent session sessions interface model
  models object objects list lists profile profiles setting settings page pages flow flows type types role roles service module
  class entity schema field fields column columns row rows store state context token tokens group groups menu dashboard facing
  defined supplied provided level space mode guide docs documentation manual story stories experience event events management
  test tests code file files form forms api endpoint endpoints controller repository component components hook not is_not count
  counts password passwords email emails key keys directory dir home folder config preferences_page registration login logout
  creation deletion lookup query queries search service services cache avatar image images activity log logs permissions_table
  row pool namespace process processes error errors notification notifications menu card view views dropdown route routes
  fixture fixtures factory seed seeds import imports export exports auth authentication collection document documents resource
  struct enum prop props param params parameter parameters variable variables must_exist exists already_exists logs_in log_in
  enters clicks opens submits types_in visits signs_in selects sees lands navigates uploads downloads scrolls leaves closes
  tabelle konto name-feld anlegen löschen-knopf tabla nombre lista table_des`;
