// The receipt: a text that the person keeps. It has neither the token nor the ids of the photos, which open them.

/**
 * @param {import("./service.js").Results} results
 * @param {import("./guide.js").Place[]} places
 * @param {NonNullable<import("./service.js").Progress["introduction"]>["sender"]} sender
 * @param {import("./guide-texts.js").GuideTexts} texts
 * @param {import("./guide.js").Wording} wording
 */
export function receiptOf({ reference_id, photos }, places, sender, { receipt: texts, language }, { filled, textIn }) {
  const titles = places.filter(({ state }) => state !== "skipped").map(({ title }) => title);
  const skipped = places.filter(({ state }) => state === "skipped").map(({ title }) => title);
  const time = (/** @type {number} */ at) => new Date(at).toLocaleString(language, { timeZoneName: "short" });
  const lines = photos.flatMap((photo, index) => {
    if (!("frame_hash_hex" in photo)) return [];
    const title = titles[index] || photo.label || filled(texts.unnamed, { number: index + 1 });
    return ["", `${index + 1}. ${title}`, `   ${time(photo.captured_at_ms)}`, `   ${filled(texts.hash, { hash: photo.frame_hash_hex })}`];
  });
  return [
    texts.title,
    "",
    filled(texts.madeAt, { time: time(Date.now()) }),
    ...(sender ? [filled(texts.to, { sender: sender.name }), filled(texts.purpose, { purpose: textIn(sender.purpose, language) })] : []),
    filled(texts.reference, { reference: reference_id }),
    "",
    texts.photos,
    ...lines,
    "",
    ...(skipped.length ? [filled(texts.skipped, { titles: skipped.join(", ") }), ""] : []),
    texts.about,
    "",
    sender ? filled(texts.erasure, { controller: sender.controller, contact: sender.contact }) : texts.noErasure,
    "",
  ].join("\n");
}
