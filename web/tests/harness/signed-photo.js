// Reads the signed photo that the element holds.

/** Runs in the page: the element's signed photo, with its bytes in base64. */
export async function readPhoto() {
  const { signedPhoto } = window.camera;
  if (!signedPhoto) return signedPhoto;
  const url = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(signedPhoto);
  });
  return { type: signedPhoto.type, base64: url.slice(url.indexOf(",") + 1) };
}
