// The package as users get it: packed, installed in a new project, compiled against, bundled, and used in React.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";

import { build } from "esbuild";

import { startBrowser } from "./harness/browser.js";
import { ARTIFACTS, PACKAGE } from "./harness/places.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const run = promisify(execFile);
const PROJECT = join(ARTIFACTS, "project");
const INSTALLED = join(PROJECT, "node_modules/@lacre/svc-camera");

const browser = await startBrowser({ after });

/** @type {string[]} the files of the tarball */
const packed = await install();

/** Packs the package and unpacks it into a new project with React. */
async function install() {
  await rm(PROJECT, { recursive: true, force: true });
  await mkdir(INSTALLED, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--silent", "--pack-destination", PROJECT], { cwd: PACKAGE });
  // The output of the build precedes the JSON.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  await run("tar", ["-xzf", join(PROJECT, filename), "-C", INSTALLED, "--strip-components=1"]);
  for (const name of ["@types", "react", "react-dom"]) {
    await symlink(join(PACKAGE, "node_modules", name), join(PROJECT, "node_modules", name));
  }
  return files.map((/** @type {{ path: string }} */ { path }) => path);
}

test("contains exactly the expected files", async () => {
  const kinds = new Set(packed.map((path) => path.replace(/^(src|types)\/[\w-]+(\.d\.ts|\.js)$/, "$1/*$2")));
  assert.deepEqual([...kinds].toSorted(), [
    "LICENSE-APACHE", "LICENSE-MIT", "README.md", "api/web.d.ts", "custom-elements.json", "package.json", "src/*.js",
    "types/*.d.ts",
  ]);
  for (const path of packed.filter((path) => path.startsWith("src/"))) {
    assert.ok(packed.includes(path.replace("src/", "types/").replace(".js", ".d.ts")), path);
  }
});

test("contains what package.json points to", async () => {
  const { main, types, customElements, exports } = JSON.parse(await readFile(join(INSTALLED, "package.json"), "utf8"));
  const targets = Object.values(exports).flatMap((way) => (typeof way === "string" ? [way] : Object.values(way)));
  for (const target of [main, types, customElements, ...targets]) {
    assert.ok(packed.includes(target.replace("./", "")), target);
  }
});

test("the manifest describes the element", async () => {
  const manifest = JSON.parse(await readFile(join(INSTALLED, "custom-elements.json"), "utf8"));
  /** @type {any[]} */
  const declarations = manifest.modules.flatMap((/** @type {any} */ module) => module.declarations ?? []);
  const element = declarations.find(({ tagName }) => tagName === "svc-camera");
  const named = (/** @type {string} */ list) => element[list].map((/** @type {{ name: string }} */ { name }) => name);
  assert.deepEqual(named("events").toSorted(), ["captured", "closed", "error", "opened", "uploaded", "uploading"]);
  assert.deepEqual(named("attributes").toSorted(), ["base-url", "framing", "instruction", "lang", "license-key", "license-url", "outline"]);
  for (const method of ["open", "close", "isUserAgentSupported"]) assert.ok(named("members").includes(method), method);
  const photo = element.members.find((/** @type {{ name: string }} */ { name }) => name === "signedPhoto");
  assert.deepEqual([photo?.kind, photo?.type.text, photo?.readonly], ["field", "Blob | null", true]);
  assert.equal(named("members").some((/** @type {string} */ name) => name.startsWith("#")), false);
});

test("a strict TypeScript project compiles", async () => {
  await writeFile(join(PROJECT, "tsconfig.json"), JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      module: "nodenext",
      moduleResolution: "nodenext",
      types: [],
    },
    files: ["page.mts"],
  }));
  await writeFile(join(PROJECT, "page.mts"), `
    import { ENGLISH, ErrorCode, LicenseError, SvcCamera, SvcCameraError, isUserAgentSupported } from "@lacre/svc-camera";
    import { captureFrames, hashBuffer, loadSession, postIngest, uploadImage } from "@lacre/svc-camera/primitives";
    import { useSvcCamera } from "@lacre/svc-camera/react";

    const camera: SvcCamera = new SvcCamera();
    camera.texts = { confirm: ENGLISH.confirm };
    camera.addEventListener("error", (event: Event) => {
      const { error } = (event as CustomEvent<{ error: SvcCameraError }>).detail;
      const status: number | undefined = error.details.status;
      const requestId: string | undefined = error.details.requestId;
      if (error instanceof LicenseError && error.code === ErrorCode.LICENSE_INVALID) console.log(error.details.reason, status, requestId);
    });
    const opened: Promise<void> = camera.open({ token: "token", overlay: { label: "Frente" } });
    const supported: boolean = isUserAgentSupported() && camera.isUserAgentSupported();
    // @ts-expect-error a session's token is needed
    camera.open({});
    const signed: Blob | null = camera.signedPhoto;
    // @ts-expect-error read-only
    camera.signedPhoto = null;
    // @ts-expect-error no such text
    camera.texts = { nothing: "" };

    async function own(video: HTMLVideoElement): Promise<string | null> {
      const session = await loadSession("https://api.example.com", "token");
      const { image, ...hashes } = await captureFrames(video, { maxBytes: session.max_asset_bytes });
      await uploadImage(session, image, { onProgress: (loaded: number, total: number) => console.log(loaded / total) });
      const { token, nonce, photo_order, image_key } = session;
      const position = { gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 };
      const [track] = (video.srcObject as MediaStream).getVideoTracks();
      const receipt = await postIngest("https://api.example.com", {
        token, nonce, photo_order, image_key, ...hashes, ...position,
        media_stream_settings: track?.getSettings() ?? { width: 1920, height: 1080, frameRate: 30 },
      });
      const hash: string = await hashBuffer(await image.arrayBuffer());
      console.log(hash);
      return receipt.authenticated_jpeg_url;
    }

    function Component() {
      const { open, close, signedPhoto } =
        useSvcCamera({ licenseKey: "key", onError: ({ code }) => console.log(code) });
      const photo: Blob | null = signedPhoto;
      return [() => open({ token: "token", licenseKey: undefined }), close, photo];
    }
    export { Component, opened, own, signed, supported };
  `);
  await run(join(PACKAGE, "node_modules/.bin/tsc"), ["-p", PROJECT]).catch(({ stdout }) => assert.fail(stdout));
});

describe("the React hook", () => {
  /**
   * Serves a page that renders `<App token options />` into `main`.
   * @param {import("node:test").TestContext} t
   * @param {string} app modules of React and the hook are imported already
   */
  async function reactPage(t, app) {
    const service = await LocalService.start(t);
    const { outputFiles: [bundle] } = await build({
      stdin: {
        resolveDir: PROJECT,
        loader: "jsx",
        contents: `
          import { StrictMode, useEffect, useLayoutEffect, useState } from "react";
          import { createRoot } from "react-dom/client";
          import { useSvcCamera } from "@lacre/svc-camera/react";
          ${app}
          const root = createRoot(document.querySelector("main"));
          root.render(<App token={TOKEN} options={OPTIONS} />);
          window.unmount = () => root.unmount();
        `,
      },
      define: {
        OPTIONS: JSON.stringify({
          licenseKey: service.get("LICENSE_KEY"),
          baseUrl: service.get("BASE_URL"),
          licenseUrl: service.get("LICENSE_URL"),
          lang: "en",
        }),
        TOKEN: JSON.stringify(await service.createSession()),
        "process.env.NODE_ENV": JSON.stringify("development"),
      },
      bundle: true,
      format: "esm",
      jsx: "automatic",
      write: false,
    });
    const { phone } = await scene(t, browser, { service, scripts: { "/app.js": bundle?.text ?? "" } });
    return { service, phone, output: phone.page.locator("output") };
  }

  // The hook has the signed photo until the next call of `open`.
  test("takes a photo in strict mode", async (t) => {
    const { service, phone, output } = await reactPage(t, `
      function TakePhoto({ token, options }) {
        const [said, say] = useState("");
        const { open, isUserAgentSupported, signedPhoto } = useSvcCamera({
          ...options,
          onUploaded: ({ session_id }) => say("photo " + session_id),
          onError: ({ code }) => say("error " + code),
        });
        useEffect(() => { window.ready = true; }, []);
        useEffect(() => { window.signedPhoto = signedPhoto; }, [signedPhoto]);
        return <>
          <button id="good" disabled={!isUserAgentSupported()} onClick={() => open({ token })}>Tirar foto</button>
          <button id="bad" onClick={() => open({ token: "" })}>Errar</button>
          <output>{said}</output>
          <data value={signedPhoto?.size ?? String(signedPhoto)} />
        </>;
      }
      const App = (properties) => <StrictMode><TakePhoto {...properties} /></StrictMode>;
    `);
    const held = phone.page.locator("data");
    await phone.page.click("#bad");
    await output.getByText("error 5002").waitFor();
    assert.equal(await phone.page.locator("svc-camera").count(), 1);
    assert.equal(await held.getAttribute("value"), "null");
    const receipts = await phone.receipts();
    await phone.page.click("#good");
    await phone.tap("shutter");
    await phone.page.getByText("Use this photo").click();
    await output.getByText("photo ").waitFor();
    assert.match(await output.innerText(), /^photo [0-9a-f-]{36}$/);

    const [type, bytes] = await phone.page.evaluate(async () => {
      const photo = /** @type {Blob} */ (window.signedPhoto);
      return /** @type {const} */ ([photo.type, [...new Uint8Array(await photo.arrayBuffer())]]);
    });
    assert.equal(type, "image/jpeg");
    const signed = Buffer.from(bytes);
    assert.equal(await held.getAttribute("value"), String(signed.length));
    assert.equal(createHash("sha256").update(signed).digest("hex"), receipts[0].authenticated_jpeg_sha256);
    assert.equal((await service.verify(signed)).valid, true);
    await phone.page.click("#bad");
    await phone.page.locator("data[value=null]").waitFor({ state: "attached" });

    await phone.page.evaluate(() => window.unmount());
    assert.equal(await phone.page.locator("svc-camera").count(), 0);
  });

  test("ignores an undefined license key", async (t) => {
    const { phone, output } = await reactPage(t, `
      function App({ token, options }) {
        const [said, say] = useState("");
        const { open } = useSvcCamera({ ...options, onError: ({ code }) => say("error " + code) });
        useEffect(() => { window.ready = true; }, []);
        const opened = () => open({ token, licenseKey: undefined }).then(() => say((said) => said || "opened"));
        return <><button id="open" onClick={opened}>Tirar foto</button><output>{said}</output></>;
      }
    `);
    await phone.page.click("#open");
    await output.getByText(/./).waitFor();
    assert.equal(await output.innerText(), "opened");
    await phone.waitForState("live");
  });

  test("reports 3001 before it is mounted", async (t) => {
    const { output } = await reactPage(t, `
      function App({ token, options }) {
        const [said, say] = useState([]);
        const { open } = useSvcCamera({
          ...options, onError: ({ name, code, details }) => say((said) => [...said, [name, code, details.name].join(" ")]),
        });
        // Layout effects come before the effect that makes the element.
        useLayoutEffect(() => { open({ token }).catch((error) => say([String(error)])); }, []);
        useEffect(() => { window.ready = true; }, []);
        return <output>{said.join(", ")}</output>;
      }
    `);
    await output.getByText(/./).waitFor();
    assert.equal(await output.innerText(), "StreamError 3001 InvalidStateError");
  });
});
