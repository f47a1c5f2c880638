/** Real domains and mailbox names, with their expected classification. */

const words = (text: string) => text.trim().split(/\s+/)

/** Real mailbox domains: neither disposable nor typos, whatever a list says. */
export const MAILBOX_DOMAINS = words(`
  gmail.com googlemail.com yahoo.com ymail.com rocketmail.com yahoo.co.uk yahoo.co.jp yahoo.co.in
  yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca yahoo.com.br yahoo.com.au hotmail.com hotmail.co.uk
  hotmail.fr hotmail.de hotmail.it hotmail.es outlook.com outlook.de outlook.fr outlook.es live.com
  live.co.uk live.fr live.nl msn.com passport.com icloud.com me.com mac.com aol.com aim.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com
  keemail.me mailbox.org posteo.de posteo.net hey.com startmail.com fastmail.com fastmail.fm
  hushmail.com runbox.com mailfence.com disroot.org riseup.net kolabnow.com countermail.com onmail.com
  zoho.com zohomail.com mail.com email.com usa.com consultant.com gmx.com gmx.de gmx.net gmx.at gmx.ch
  web.de t-online.de freenet.de arcor.de online.de kabelmail.de vodafone.de libero.it virgilio.it
  tiscali.it alice.it tin.it orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr
  seznam.cz centrum.cz email.cz wp.pl o2.pl onet.pl interia.pl gazeta.pl abv.bg mail.bg ukr.net i.ua
  yandex.com yandex.ru ya.ru mail.ru bk.ru list.ru inbox.ru rambler.ru qq.com foxmail.com 163.com
  126.com yeah.net sina.com sohu.com 139.com 189.cn naver.com daum.net hanmail.net kakao.com nate.com
  rediffmail.com comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net
  earthlink.net juno.com netzero.net btinternet.com sky.com virginmedia.com ntlworld.com talktalk.net
  telenet.be skynet.be ziggo.nl kpnmail.nl planet.nl hetnet.nl bluewin.ch hispeed.ch chello.at aon.at
  telia.com online.no bigpond.com optusnet.com.au xtra.co.nz shaw.ca rogers.com sympatico.ca
  uol.com.br bol.com.br terra.com.br ig.com.br docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
  walla.co.il inbox.lv freemail.hu citromail.hu safe-mail.net vfemail.net
  21cn.com sify.com
`)

/** Names that are similar to a large provider's or easily mistaken. */
export const OTHER_DOMAINS = words(`
  aon.com aos.com ao.com mal.com mai.com mall.com nail.com hail.com wmail.com qmail.org
  me.co live.co gmx.co msm.com mns.com man.com zoo.com yoho.com yahya.com incloud.com itcloud.com
  cloud.com outlast.com outback.com hotel.com hotwire.com hotrail.com hotmail.example gmail.example
  gemail.com email.de protein.com photon.me proton.com yandle.com verizonwireless.com comcas.com
  live.nl live.org gm.com gmac.com gap.com yale.edu apple.com microsoft.com google.com amazon.com
  ibm.com siemens.com github.com cloudflare.com mit.edu ox.ac.uk ethz.ch bbc.co.uk who.int nasa.gov
  acme.co acme.cm example.com iana.org rfc-editor.org debian.org kernel.org wikipedia.org
`)

/** Domains of disposable address services. */
export const DISPOSABLE_DOMAINS = words(`
  tempmail.com mailinator.com guerrillamail.com guerrillamail.net guerrillamail.org sharklasers.com grr.la
  10minutemail.com 10minutemail.net temp-mail.org throwawaymail.com yopmail.com yopmail.fr
  yopmail.net trashmail.com trashmail.de trashmail.net dispostable.com maildrop.cc getnada.com
  mailnesia.com mintemail.com mohmal.com fakeinbox.com mailcatch.com spam4.me tempinbox.com
  emailondeck.com getairmail.com discard.email discardmail.com mytemp.email tempr.email burnermail.io
  moakt.com inboxkitten.com mailsac.com mail-temp.com tempail.com
  spambog.com wegwerfmail.de byom.de einrot.com jetable.org nospam.mailinator.com
`)

/** Mail to these is forwarded to a real mailbox. */
export const PRIVACY_RELAY_DOMAINS = words(`
  privaterelay.appleid.com mozmail.com relay.firefox.com ann.mozmail.com duck.com simplelogin.com
  simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com silomails.com
  8alias.com 8shield.net dralias.com passmail.net passinbox.com passfwd.com addy.io ann.addy.io
  addymail.com anonaddy.com ann.anonaddy.com anonaddy.me 4wrd.cc mailer.me opayq.com msgsafe.io
  33mail.com ann.33mail.com spamgourmet.com spamgourmet.net spamgourmet.org 0sg.net sneakemail.com
  snkmail.com sudomail.com sudoworld.net
`)

/** Typos and the intended domains. */
export const DOMAIN_TYPOS: readonly (readonly [string, string])[] = [
  ['gmial.com', 'gmail.com'],
  ['yaho.com', 'yahoo.com'],
  ['yahoo.co', 'yahoo.com'],
  ['hotmail.co', 'hotmail.com'],
  ['hitmail.com', 'hotmail.com'],
  ['gmali.com', 'gmail.com'],
  ['gamil.com', 'gmail.com'],
  ['mgail.com', 'gmail.com'],
  ['gmal.com', 'gmail.com'],
  ['gmai.com', 'gmail.com'],
  ['gmil.com', 'gmail.com'],
  ['gail.com', 'gmail.com'],
  ['gmaill.com', 'gmail.com'],
  ['ggmail.com', 'gmail.com'],
  ['gmmail.com', 'gmail.com'],
  ['gmaiil.com', 'gmail.com'],
  ['gmailk.com', 'gmail.com'],
  ['gnail.com', 'gmail.com'],
  ['gmsil.com', 'gmail.com'],
  ['gmaik.com', 'gmail.com'],
  ['gmaul.com', 'gmail.com'],
  ['gmaol.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['gmail.cmo', 'gmail.com'],
  ['gmail.ocm', 'gmail.com'],
  ['gmail.comm', 'gmail.com'],
  ['gmail.vom', 'gmail.com'],
  ['gmail.xom', 'gmail.com'],
  ['gmail.cpm', 'gmail.com'],
  ['gmail.cim', 'gmail.com'],
  ['gmail.co', 'gmail.com'],
  ['gmail.cm', 'gmail.com'],
  ['gmail.om', 'gmail.com'],
  ['googlemial.com', 'googlemail.com'],
  ['yahooo.com', 'yahoo.com'],
  ['yhaoo.com', 'yahoo.com'],
  ['yhoo.com', 'yahoo.com'],
  ['yaoo.com', 'yahoo.com'],
  ['yshoo.com', 'yahoo.com'],
  ['yajoo.com', 'yahoo.com'],
  ['yahop.com', 'yahoo.com'],
  ['yahoo.con', 'yahoo.com'],
  ['yahoo.om', 'yahoo.com'],
  ['yaho.co.uk', 'yahoo.co.uk'],
  ['yahooo.fr', 'yahoo.fr'],
  ['yhaoo.de', 'yahoo.de'],
  ['yaho.com.br', 'yahoo.com.br'],
  ['hotmial.com', 'hotmail.com'],
  ['hotmal.com', 'hotmail.com'],
  ['hotmai.com', 'hotmail.com'],
  ['hotmil.com', 'hotmail.com'],
  ['hormail.com', 'hotmail.com'],
  ['hotnail.com', 'hotmail.com'],
  ['hotmaill.com', 'hotmail.com'],
  ['homtail.com', 'hotmail.com'],
  ['ohtmail.com', 'hotmail.com'],
  ['hotmail.con', 'hotmail.com'],
  ['hotmail.cmo', 'hotmail.com'],
  ['hotmial.co.uk', 'hotmail.co.uk'],
  ['hotmal.fr', 'hotmail.fr'],
  ['hotmial.it', 'hotmail.it'],
  ['outlok.com', 'outlook.com'],
  ['outloook.com', 'outlook.com'],
  ['outllok.com', 'outlook.com'],
  ['oulook.com', 'outlook.com'],
  ['outlool.com', 'outlook.com'],
  ['outlook.con', 'outlook.com'],
  ['outlook.co', 'outlook.com'],
  ['outlok.de', 'outlook.de'],
  ['icoud.com', 'icloud.com'],
  ['iclod.com', 'icloud.com'],
  ['icluod.com', 'icloud.com'],
  ['icloud.con', 'icloud.com'],
  ['icloud.co', 'icloud.com'],
  ['aol.con', 'aol.com'],
  ['msn.cmo', 'msn.com'],
  ['live.con', 'live.com'],
  ['zoho.con', 'zoho.com'],
  ['gmx.comm', 'gmx.com'],
  ['protonmial.com', 'protonmail.com'],
  ['protnmail.com', 'protonmail.com'],
  ['yandx.ru', 'yandex.ru'],
  ['yadnex.com', 'yandex.com'],
  ['redifmail.com', 'rediffmail.com'],
  ['comacst.net', 'comcast.net'],
  ['comcat.net', 'comcast.net'],
  ['verzion.net', 'verizon.net'],
  ['sbcgloabl.net', 'sbcglobal.net'],
  ['belsouth.net', 'bellsouth.net'],
  ['btinernet.com', 'btinternet.com'],
  ['wandoo.fr', 'wanadoo.fr'],
  ['t-onlin.de', 't-online.de'],
  ['tonline.de', 't-online.de'],
]

export const ROLE_NAMES = words(`
  abuse admin administrator billing careers compliance contact customerservice datenschutz dmarc
  do-not-reply editor enquiries events feedback finance hello help helpdesk hostmaster hr info
  investors jobs legal list mailer-daemon marketing media no-reply noc noreply office orders
  partners postmaster press privacy root sales security service ssladmin staff subscribe
  support team tech tlsrpt unsubscribe usenet webmaster www
`)

export const PERSON_NAMES = words(`
  alla berlin china france md ta la cm se gm pd bd
  ann ann.lee alee a.lee lee björn josé 用户 o'brien mary-jane smith jsmith john.smith j.r.smith
  max.mustermann sam alex.jones kim wei.zhang fatima ivan.petrov olga hans.meier salesman
  salesforce.user infoann supporter mr.help annsales sales.ann team.ann administratora
  alexa denver gardner india paris sydney
`)
