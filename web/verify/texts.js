// Texts of the page itself. The module provides the texts about photos.

/**
 * A text in both languages. Names in braces are placeholders for values.
 * @typedef {{ pt: string, en: string }} Words
 */

/** @param {string} pt @param {string} en @returns {Words} */
const words = (pt, en) => ({ pt, en });

export const TEXTS = Object.freeze({
  title: words("Verificação de fotos", "Photo verification"),
  languages: words("Idioma", "Language"),
  intro: words(
    "Escolha uma foto autenticada e veja o que ela prova. O arquivo é verificado neste aparelho e não sai dele.",
    "Choose an authenticated photo and see what it proves. The file is checked on this device and does not leave it.",
  ),
  choose: words("Escolher fotos", "Choose photos"),
  orDrop: words("ou solte ou cole os arquivos aqui", "or drop or paste the files here"),
  dropHint: words(
    "Uma foto ou várias, de até 64 MiB cada. Se há arquivos à parte, o manifesto (.c2pa), a prova do registro público (.tlog-proof) ou " +
      "o que prolonga essa prova (.ers, e os pacotes .p7b de uma foto por vez), escolha-os junto com a foto. " +
        "Use o arquivo original: uma captura de tela ou uma imagem copiada de outro programa não contém a prova. " +
      "Para comparar uma cópia com o original, escolha os dois.",
    "One photo or several, of up to 64 MiB each. If there are files beside it, the manifest (.c2pa), the proof of the public log (.tlog-proof) " +
      "or what extends that proof (.ers, and the bundles .p7b of one photo at a time), choose them together with the photo. " +
      "Use the original file: a screenshot, or a picture copied from another program, does not contain the proof. " +
      "To compare a copy with its original, choose both.",
  ),
  nothingThere: words("Não há arquivo no que foi solto ou colado.", "There is no file in what was dropped or pasted."),

  requirements: words("Exigências", "Requirements"),
  requirementsHint: words(
    "Exija o CNPJ da empresa que deveria ter selado a foto: sem ele, aceita-se a foto selada por qualquer titular. As fotos são verificadas " +
      "de novo a cada mudança.",
    "Require the CNPJ of the company that should have sealed the photo: without it, a photo sealed by any holder is accepted. Each change " +
      "checks the photos again.",
  ),
  environment: words("Ambiente exigido", "Required environment"),
  environmentHint: words("Só uma foto de produção prova algo perante terceiros.", "Only a production photo proves something towards third parties."),
  production: words("Produção", "Production"),
  staging: words("Homologação (staging)", "Staging"),
  sandbox: words("Testes (sandbox)", "Test (sandbox)"),
  sealHolder: words("CNPJ do titular do selo", "CNPJ of the holder of the seal"),
  sealHolderHint: words(
    "O CNPJ que deve constar do certificado ICP-Brasil, por exemplo 11.222.333/0001-81. Em branco, qualquer titular, e a conclusão o diz.",
    "The CNPJ that the ICP-Brasil certificate must name, for example 11.222.333/0001-81. Empty: any holder, and the conclusion says so.",
  ),
  claimSubject: words("Titular do certificado C2PA", "Subject of the C2PA certificate"),
  claimSubjectHint: words(
    "O nome comum (CN) que deve constar do certificado da assinatura C2PA. Em branco, qualquer titular.",
    "The common name (CN) that the certificate of the C2PA signature must have. Empty: any subject.",
  ),
  logKey: words("Chave do registro público", "Key of the public log"),
  logKeyHint: words(
    "A chave que o operador publica, na forma NOME+ID+CHAVE. É necessária para verificar uma prova (.tlog-proof) escolhida junto com a foto.",
    "The key that the operator publishes, in the form NAME+ID+KEY. A proof (.tlog-proof) that is chosen together with the photo needs it.",
  ),
  at: words("Data de referência", "Reference time"),
  atHint: words(
    "Data e hora no fuso deste aparelho. Em branco, agora. Vale onde não há carimbo do tempo confiável.",
    "Date and time in this device's time zone. Empty: now. It counts where there is no trusted timestamp.",
  ),
  atIncomplete: words("Complete a data e a hora, ou deixe em branco.", "Complete the date and the time, or leave the field empty."),
  addTrust: words("Certificados raiz adicionais (PEM)", "Additional root certificates (PEM)"),
  chooseRoots: words("Escolher certificados", "Choose certificates"),
  addTrustHint: words(
    "Cada um passa a ser confiável para todas as partes da prova, até que esta página seja fechada. Adicione só os que vêm de uma fonte que " +
      "você conhece.",
    "Each one is trusted for every part of the proof until this page is closed. Add only those that come from a source that you know.",
  ),
  addedRoots: words("Raízes adicionadas", "Added roots"),
  addedRootsHint: words(
    "As conclusões confiam também nestes certificados, que não são das listas desta página.",
    "The conclusions also trust these certificates, which are not from this page's lists.",
  ),
  developmentRoots: words("Raízes de desenvolvimento desta máquina", "Development roots of this machine"),
  developmentMissing: words(
    "As raízes de desenvolvimento desta máquina não puderam ser lidas.",
    "The development roots of this machine could not be read.",
  ),
  certificates: words("certificados: {count}", "certificates: {count}"),
  remove: words("Remover", "Remove"),
  removeNamed: words("Remover {name}", "Remove {name}"),
  rootRemoved: words("Raiz removida.", "Root removed."),
  rootsTooBig: words(
    "{name}: o arquivo tem mais de 1 MiB, e não é lido. Arquivos de certificados são menores.",
    "{name}: the file is larger than 1 MiB and is not read. Files of certificates are smaller.",
  ),

  loading: words("Carregando o verificador…", "Loading the verifier…"),
  notLoaded: words("O verificador não foi carregado: nada é verificado.", "The verifier was not loaded: nothing is checked."),
  checking: words("Verificando {number} de {total}…", "Checking {number} of {total}…"),
  checkingOne: words("Verificando…", "Checking…"),
  done: words("Verificação concluída: {total} arquivos.", "Check completed: {total} files."),
  doneOne: words("Verificação concluída.", "Check completed."),
  correctOption: words("Corrija a exigência indicada.", "Correct the requirement that is marked."),

  conclusions: words("Conclusões", "Conclusions"),
  file: words("Arquivo:", "File:"),
  notChecked: words("Não verificado", "Not checked"),
  empty: words("O arquivo está vazio (zero bytes).", "The file is empty (zero bytes)."),
  tooBig: words(
    "O arquivo tem mais de 64 MiB, e não é verificado. As fotos da Lacre são menores.",
    "The file is larger than 64 MiB and is not checked. The photos of Lacre are smaller.",
  ),
  folder: words("É uma pasta. Escolha as fotos que estão nela.", "It is a folder. Choose the photos in it."),
  noFrame: words(
    "É um manifesto em arquivo à parte (.c2pa). Falta a foto a que pertence: escolha os dois arquivos juntos.",
    "It is a manifest in a file of its own (.c2pa). The photo to which it belongs is missing: choose both files together.",
  ),
  noLogProof: words(
    "É um registro de evidência (.ers). Falta a prova do registro público (.tlog-proof) a que pertence: escolha-a junto com a foto.",
    "It is an evidence record (.ers). The proof of the public log (.tlog-proof) to which it belongs is missing: choose it together with the photo.",
  ),
  noRecord: words(
    "É um pacote de evidências (.p7b). Falta o registro de evidência (.ers) a que pertence: escolha-o junto com a foto e a prova do registro " +
      "público (.tlog-proof).",
    "It is an evidence bundle (.p7b). The evidence record (.ers) to which it belongs is missing: choose it together with the photo and the " +
      "proof of the public log (.tlog-proof).",
  ),
  severalRecords: words(
    "É um pacote de evidências (.p7b), e há mais de uma foto com registro de evidência (.ers). O nome não diz de qual ele é: escolha uma só " +
      "dessas fotos por vez, com os seus pacotes.",
    "It is an evidence bundle (.p7b), and more than one photo has an evidence record (.ers). The name does not say to which it belongs: " +
      "choose one of these photos at a time, with its bundles.",
  ),
  bundlesTooBig: words(
    "Os pacotes de evidências (.p7b) têm juntos mais de 64 MiB, e a foto não é verificada com eles. Verifique-a com o programa «verify».",
    "The evidence bundles (.p7b) are larger than 64 MiB together, and the photo is not checked with them. Check it with the “verify” program.",
  ),
  noPhoto: words(
    "É uma prova do registro público (.tlog-proof). Falta a foto a que pertence: escolha os dois arquivos juntos.",
    "It is a proof of the public log (.tlog-proof). The photo to which it belongs is missing: choose both files together.",
  ),
  certificate: words(
    "É um arquivo de certificados, e eles não passam a ser confiáveis. Adicione certificados em «Exigências», e só se souber de onde vêm.",
    "It is a file of certificates, and they do not become trusted. Add certificates under “Requirements”, and only if you know where they " +
      "come from.",
  ),
  badSidecar: words(
    "O manifesto em arquivo à parte (.c2pa) não pode ser juntado à foto.",
    "The manifest in a file of its own (.c2pa) cannot be joined with the photo.",
  ),
  badBundle: words(
    "Um pacote de evidências (.p7b) não pode ser lido. Obtenha o arquivo de novo, ou verifique a foto sem ele.",
    "An evidence bundle (.p7b) cannot be read. Get the file again, or check the photo without it.",
  ),
  unreadable: words(
    "O navegador não conseguiu ler o arquivo. Talvez tenha sido movido, apagado ou alterado.",
    "The browser could not read the file. It may have been moved, deleted or changed.",
  ),
  crashed: words(
    "O verificador parou de funcionar com este arquivo. Nada se conclui dele: verifique-o com o programa «verify».",
    "The verifier stopped working on this file. Nothing is concluded of it: check it with the “verify” program.",
  ),
  badOption: words("Uma exigência está errada. Corrija-a para verificar o arquivo.", "A requirement is wrong. Correct it to check the file."),

  comparison: words("Comparar uma cópia com o original", "Compare a copy with its original"),
  comparisonHint: words(
    "A página mostra onde um arquivo sem prova válida, como a cópia que veio por um aplicativo de mensagens, difere de uma foto com prova " +
      "válida.",
    "The page shows where a file without a valid proof, such as a copy that came by a messenger, differs from a photo with a valid proof.",
  ),
  isCopy: words(
    "Se é a cópia de uma foto, escolha-a junto com o arquivo original: a página mostra onde as duas diferem.",
    "If it is a copy of a photo, choose it together with the original file: the page shows where the two differ.",
  ),
  copy: words("Cópia", "Copy"),
  original: words("Original", "Original"),
  compare: words("Comparar", "Compare"),
  comparing: words("Comparando…", "Comparing…"),
  same: words("A cópia mostra o original, e nenhuma região difere.", "The copy shows the original, and no region differs."),
  differs: words(
    "A cópia mostra o original, e difere dele. Regiões que diferem: {count}.",
    "The copy shows the original, and differs from it. Regions that differ: {count}.",
  ),
  notConfirmed: words(
    "Não está confirmado que a cópia mostra o original. Peça o arquivo original desta cópia.",
    "It is not confirmed that the copy shows the original. Ask for the original file of this copy.",
  ),
  ofOriginal: words("O original: {conclusion}", "The original: {conclusion}"),
  originalCaption: words("Original, com prova válida.", "Original, with a valid proof."),
  copyCaption: words("Cópia, sem prova válida.", "Copy, without a valid proof."),
  originalPicture: words("Original, {name}. Regiões contornadas: {count}.", "Original, {name}. Outlined regions: {count}."),
  copyPicture: words("Cópia, {name}. Regiões contornadas: {count}.", "Copy, {name}. Outlined regions: {count}."),
  region: words(
    "{width} × {height} pixels do original, a {left} da borda esquerda e {top} da borda de cima",
    "{width} × {height} pixels of the original, {left} from the left and {top} from the top",
  ),
  whyDiffers: words(
    "Que diferem não diz por quê, nem o que é verdade: recorte, compressão, um desenho sobre a imagem ou uma alteração fazem uma cópia diferir. " +
      "Veja cada região no original, que é o único com prova.",
    "That they differ says neither why, nor what is true: a crop, compression, a drawing on the picture or an alteration make a copy differ. " +
      "Look at each region in the original, which alone has a proof.",
  ),
  hiddenPart: words(
    "A cópia não mostra {percent} % do original. Essa parte, em cinza, não foi comparada.",
    "The copy does not show {percent} % of the original. That part, in grey, was not compared.",
  ),
  compareLimit: words(
    "Acha-se uma diferença que cobre cerca de 0,3 % da imagem ou mais: uma placa de carro, mas não um algarismo numa página de texto. " +
      "O que depende de um detalhe se lê no original.",
    "A difference is found if it covers about 0.3 % of the picture or more: a number plate, but not a digit on a page of text. " +
      "What depends on a detail is read in the original.",
  ),
  notCompared: words("Não comparado", "Not compared"),
  unknownFormat: words(
    "O arquivo {name} não é uma imagem JPEG, PNG nem WebP. Converta a imagem para JPEG, e verifique os dois arquivos de novo.",
    "The file {name} is not a JPEG, PNG or WebP picture. Convert the picture to JPEG, and check both files again.",
  ),
  tooLarge: words(
    "O arquivo {name} tem mais de 40 megapixels, e não é comparado. Reduza a imagem, e verifique os dois arquivos de novo.",
    "The file {name} has more than 40 megapixels and is not compared. Reduce the picture, and check both files again.",
  ),
  cmyk: words(
    "O arquivo {name} tem as cores de impressão CMYK. Converta a imagem para RGB, e verifique os dois arquivos de novo.",
    "The file {name} has the print colors CMYK. Convert the picture to RGB, and check both files again.",
  ),
  animation: words(
    "O arquivo {name} é uma animação. Só se compara uma imagem parada: peça a foto.",
    "The file {name} is an animation. Only a still picture is compared: ask for the photo.",
  ),
  malformed: words(
    "O arquivo {name} está incompleto ou danificado, e a imagem não pode ser lida. Peça o arquivo de novo.",
    "The file {name} is incomplete or damaged, and the picture cannot be read. Ask for the file again.",
  ),
  compareNotLoaded: words(
    "A parte da página que compara não pôde ser carregada ({message}). Verifique a conexão, e compare de novo.",
    "The part of the page that compares could not be loaded ({message}). Check the connection, and compare again.",
  ),
  compareLate: words(
    "A comparação passou de um minuto e foi encerrada. Reduza a cópia, ou compare com o programa «verify».",
    "The comparison took more than a minute and was ended. Reduce the copy, or compare with the “verify” program.",
  ),
  compareCrashed: words(
    "A comparação parou de funcionar com estes arquivos. Nada se conclui deles: compare-os com o programa «verify».",
    "The comparison stopped working on these files. Nothing is concluded of them: compare them with the “verify” program.",
  ),

  files: words("Arquivos de {name}", "Files of {name}"),
  report: words("Baixar o relatório", "Download the report"),
  print: words("Imprimir", "Print"),
  reportName: words("{name}-relatorio.html", "{name}-report.html"),

  noModule: words(
    "O verificador desta página não pôde ser carregado ({message}). Nada é verificado. Recarregue a página, ou use outro navegador.",
    "This page's verifier could not be loaded ({message}). Nothing is checked. Reload the page, or use another browser.",
  ),
  otherModule: words(
    "O verificador carregado não é o desta página: seu SHA-256 é {found}, e deveria ser {wanted}. Nada é verificado.",
    "The verifier that was loaded is not this page's: its SHA-256 is {found}, and should be {wanted}. Nothing is checked.",
  ),

  about: words("Sobre esta página", "About this page"),
  aboutPage: words(
    "Esta página verifica fotos da Lacre: o manifesto C2PA, a assinatura digital da ICP-Brasil, os certificados, os carimbos do tempo e " +
      "cada byte da imagem. É o mesmo verificador do programa «verify».",
    "This page checks photos of Lacre: the C2PA manifest, the ICP-Brasil digital signature, the certificates, the timestamps and each byte " +
      "of the picture. It is the same verifier as the “verify” program.",
  ),
  aboutPrivacy: words(
    "Nada sai deste aparelho: depois de carregada, a página só busca a sua própria parte que compara cópias, e funciona também sem rede.",
    "Nothing leaves this device: once loaded, the page only fetches its own part that compares copies, and also works without a network.",
  ),
  aboutLimits: words(
    "A página não consulta a revogação dos certificados: usa a resposta OCSP que está na foto e os pacotes de evidências (.p7b), e cada " +
      "resultado lista o que ficou sem verificar.",
    "The page does not look up the revocation of certificates: it uses the OCSP response in the photo and the evidence bundles (.p7b), and " +
      "each result lists what was not checked.",
  ),
  version: words("Versão", "Version"),
  moduleHash: words("SHA-256 do verificador (verify.wasm)", "SHA-256 of the verifier (verify.wasm)"),
  compareHash: words("SHA-256 da comparação (compare.wasm)", "SHA-256 of the comparison (compare.wasm)"),
  hashUnknown: words(
    "{wanted} (segundo a página; este navegador não o calcula fora de https)",
    "{wanted} (by the page's word; this browser does not compute it without https)",
  ),
  lists: words("Listas de confiança", "Trust lists"),
  listsHint: words("Os certificados raiz que fazem parte do verificador.", "The root certificates that are part of the verifier."),
  listDate: words("de {date}", "of {date}"),
  listSource: words("fonte:", "source:"),
  listRoles: words("Para:", "For:"),
  seal: words("Selo", "Seal"),
  sealTimestamp: words("Carimbo do tempo do selo", "Timestamp of the seal"),
  claim: words("Assinatura C2PA", "C2PA signature"),
  claimTimestamp: words("Carimbo do tempo da assinatura C2PA", "Timestamp of the C2PA signature"),
  noLists: words("Nenhuma: só as raízes adicionadas são confiáveis.", "None: only the added roots are trusted."),
});
