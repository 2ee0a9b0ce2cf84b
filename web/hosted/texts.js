// Texts of the page in Portuguese. Those in other languages are files of their own, so that the page stays small.

/**
 * @typedef {{ title: string, body: string[] }} Words
 */

/**
 * @typedef {object} Texts
 * @property {string} language
 * @property {Words} start
 * @property {string[]} asked permissions that the browser will ask for
 * @property {Words} checking
 * @property {Words} resume
 * @property {Words} done
 * @property {Words} redirecting
 * @property {Words} noLink
 * @property {Words} notFound
 * @property {Words} expired
 * @property {Words} used
 * @property {Words} tooManyLoads
 * @property {Words} refused
 * @property {Words} noNetwork
 * @property {Words} noService
 * @property {Words} noCamera in Chrome
 * @property {Words} noCameraInSafari
 * @property {Words} cameraBusy
 * @property {Words} notSent
 * @property {Words} elsewhere another device took the photo
 * @property {Record<"INVALID_KEY" | "REVOKED" | "EXPIRED" | "VOLUME_EXCEEDED" | "CLIENT_SUSPENDED", Words>} license
 * @property {string} back after how long the page redirects, with `{seconds}`
 * @property {string} taken progress, with `{photo}` and `{total}`
 * @property {string} takenAll all photos, with `{total}`
 * @property {string} begin
 * @property {string} goOn
 * @property {string} again
 * @property {string} proceed
 */

/** @type {Readonly<Texts>} */
export const PORTUGUESE = {
  language: "pt-BR",
  start: {
    title: "Tire as fotos aqui",
    body: ["As fotos são tiradas nesta página e assinadas eletronicamente por este serviço na hora, para que se possa conferir que não foram alteradas."],
  },
  asked: ["O navegador vai pedir o uso da câmera.", "Depois, a localização, que é registrada com a foto. Você pode recusá-la, a não ser que estas fotos a exijam: nesse caso, a página avisa."],
  checking: { title: "Um momento…", body: ["Verificando quais fotos já chegaram."] },
  resume: { title: "Continue as fotos", body: ["Fechar a câmera ou a página não apaga as fotos que você já enviou."] },
  done: { title: "Pronto", body: ["Todas as fotos foram recebidas. Você pode fechar esta página."] },
  redirecting: { title: "Pronto", body: ["Todas as fotos foram recebidas. Obrigado! Se quiser, guarde o comprovante do que foi enviado."] },
  noLink: { title: "O link está incompleto", body: ["Abra de novo o link que você recebeu."] },
  notFound: { title: "O link não é válido", body: ["Confira se o link está inteiro, ou peça um novo a quem o enviou."] },
  expired: { title: "O link venceu", body: ["Ele vale por 30 minutos. Peça um novo a quem o enviou."] },
  used: { title: "As fotos já foram enviadas", body: ["Este link já foi usado até o fim. Não é preciso fazer mais nada."] },
  tooManyLoads: { title: "O link foi aberto vezes demais", body: ["Peça um novo a quem o enviou."] },
  refused: { title: "O serviço não aceitou", body: ["Peça um novo link a quem o enviou. O serviço disse:"] },
  noNetwork: { title: "Sem conexão", body: ["Verifique a internet e tente de novo. O que você já enviou está guardado."] },
  noService: { title: "O serviço não está funcionando", body: ["Tente de novo em alguns minutos. O que você já enviou está guardado."] },
  noCamera: {
    title: "A câmera não foi permitida",
    body: [
      "Sem a câmera não é possível tirar as fotos. Toque no ícone à esquerda do endereço, depois em «Permissões», e permita a câmera.",
      "Se «Permissões» não aparecer, abra as configurações do aparelho, em «Aplicativos», «Chrome», «Permissões», e permita a câmera. Depois toque em «Tentar de novo», ou abra o link em outro celular.",
    ],
  },
  noCameraInSafari: {
    title: "A câmera não foi permitida",
    body: [
      "Sem a câmera não é possível tirar as fotos. Toque no botão à esquerda do endereço, depois em «Ajustes do Site», e em «Câmera» escolha «Permitir».",
      "Se não houver essa opção, abra os Ajustes do aparelho, em «Apps», «Safari», «Câmera», e escolha «Perguntar» ou «Permitir». Depois toque em «Tentar de novo»: a página é recarregada. Ou abra o link em outro celular.",
    ],
  },
  cameraBusy: { title: "A câmera não está disponível", body: ["Feche outros aplicativos que a usam e tente de novo."] },
  elsewhere: { title: "Esta foto já foi enviada", body: ["Outro aparelho com o mesmo link a tirou. Continue com a próxima."] },
  notSent: { title: "A foto não foi aceita", body: ["Tente de novo. O serviço disse:"] },
  license: {
    INVALID_KEY: { title: "Este link não pode ser usado", body: ["A licença dele não é aceita. Avise quem o enviou e peça um novo."] },
    REVOKED: { title: "Este link não vale mais", body: ["A licença dele foi cancelada. Avise quem o enviou e peça um novo."] },
    EXPIRED: { title: "Este link não vale mais", body: ["A licença dele venceu. Avise quem o enviou."] },
    VOLUME_EXCEEDED: { title: "Não é possível agora", body: ["O limite de fotos do mês foi atingido. Avise quem enviou o link."] },
    CLIENT_SUSPENDED: { title: "Não é possível agora", body: ["O serviço está suspenso para quem enviou o link. Avise-o."] },
  },
  back: "Em {seconds} segundos, você volta ao site de quem pediu as fotos.",
  taken: "{photo} de {total} fotos enviadas",
  takenAll: "{total} fotos enviadas",
  begin: "Começar",
  goOn: "Continuar",
  again: "Tentar de novo",
  proceed: "Continuar",
};

/** How to load the texts of each language. @type {Record<string, () => Promise<Readonly<Texts>>>} */
const LANGUAGES = {
  pt: async () => PORTUGUESE,
  en: async () => (await import("./texts-en.js")).ENGLISH,
  es: async () => (await import("./texts-es.js")).SPANISH,
};

/**
 * The texts of the first preferred language that exists, or else in Portuguese.
 * @param {readonly string[]} wanted BCP 47 tags in order of preference
 * @returns {Promise<Readonly<Texts>>}
 */
export async function textsFor(wanted) {
  const known = wanted.map((tag) => tag.split("-")[0]?.toLowerCase() ?? "").find((tag) => Object.hasOwn(LANGUAGES, tag));
  // If a newer version of the page was deployed, this version's texts are gone.
  return (await LANGUAGES[known ?? "pt"]?.().catch(() => undefined)) ?? PORTUGUESE;
}
