// The component and the service accept the same browsers, for each row of one table.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { isUserAgentSupported } from "../src/browser.js";
import { startBrowser } from "./harness/browser.js";
import { loadByHttp } from "./harness/http-capture.js";
import { USER_AGENTS } from "./harness/phone.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

for (const { name, supported, touch_points, user_agent } of USER_AGENTS) {
  test(`both ${supported ? "accept" : "refuse"} ${name}`, async () => {
    assert.equal(isUserAgentSupported(user_agent ?? "", touch_points ?? 0), supported);

    // HTTP header values cannot end with a space.
    if (user_agent?.endsWith(" ")) return;
    const headers = {
      origin: "http://localhost",
      "user-agent": user_agent ?? "",
      ...(touch_points === null ? {} : { "x-svc-touch-points": String(touch_points) }),
    };
    const { status } = await loadByHttp(service, await service.createSession(), headers);
    assert.equal(status, supported ? 200 : 403);
  });
}

for (const { name } of USER_AGENTS.filter((row) => row.supported)) {
  test(`opens the camera in ${name}`, async (t) => {
    const { phone } = await scene(t, browser, { service, agent: name });
    assert.equal(await phone.page.evaluate(() => window.camera.isUserAgentSupported()), true);
    const preflights = await phone.preflights();
    const token = await service.createSession();
    await phone.openCamera({ token });
    await phone.event("opened");
    // A header for iPads costs the load a preflight, so Android does without it.
    const isPreflighted = !name.includes("Android");
    assert.equal(preflights.some((url) => url.endsWith(`/web/sessions/${token}`)), isPreflighted);
  });
}

for (const { name } of USER_AGENTS.filter((row) => !row.supported && row.user_agent).slice(0, 1)) {
  test(`recognizes an unsupported browser: ${name}`, async (t) => {
    const { phone } = await scene(t, browser, { service, agent: name });
    assert.equal(await phone.page.evaluate(() => window.camera.isUserAgentSupported()), false);
  });
}
