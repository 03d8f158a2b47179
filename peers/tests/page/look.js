// Looks at the pages in the directory that is given, as a person would, and fails at the first thing that is wrong.
const assert = require("node:assert/strict");
const path = require("node:path");
const { chromium } = require("playwright-core");

const area = process.argv[2];
// Where the documentation's pictures go, when they are to be made anew.
const images = process.env.SLIPWAY_IMAGES;

async function open(browser, name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, ...options });
  page.start = path.basename(name, ".html");
  page.wrong = [];
  page.on("console", (message) => page.wrong.push(message.text()));
  page.on("pageerror", (error) => page.wrong.push(error.message));
  page.on("dialog", (dialog) => { page.wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  const url = `file://${path.join(area, name)}`;
  page.on("request", (request) => { if (request.url() !== url) page.wrong.push(`asks for ${request.url()}`); });
  await page.goto(url);
  return page;
}

/// Keeps what is seen now as a picture of the documentation.
async function keep(page, name) {
  if (!images) return;
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.screenshot({ path: path.join(images, `${name}.png`) });
  await page.setViewportSize(before);
}

const ruler = (page) => page.locator("#ruler span").allTextContents();
const evidence = (page) => page.locator("#evidence h3").textContent();
const chosen = (page) => page.locator("#rows [aria-selected=true] .name").textContent();

async function oneStart(page) {
  assert.match(await page.locator("#summary").textContent(), /Ready after \d+\.\d\d s/);
  assert.ok((await page.locator("#rows [role=option]").count()) > 30, "bars");
  assert.ok((await page.locator("#way button").count()) > 10, "the way to Ready");
  assert.ok((await page.locator("#findings li").count()) > 0, "findings");
  assert.ok((await page.locator("#table tbody tr").count()) > 30, "a table");
  assert.equal(await page.evaluate(() => scrollY), 0, "it opens at its top");
  // The parts of the way fill it.
  const [way, parts] = await page.evaluate(() => {
    const width = (element) => element.getBoundingClientRect().width;
    const way = document.getElementById("way");
    return [width(way), [...way.children].reduce((sum, part) => sum + width(part), 0)];
  });
  assert.ok(Math.abs(way - parts) < way / 100, `parts ${parts} of ${way}`);

  // Selecting, by pointer and by key.
  const kubelet = page.locator("#rows [role=option]", { hasText: "kubelet initialises" });
  await kubelet.click();
  assert.equal(await evidence(page), "kubelet initialises");
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await evidence(page), "kubelet initialises");
  await page.keyboard.press("ArrowUp");
  assert.equal(await evidence(page), "kubelet initialises");
  assert.equal(await chosen(page), "kubelet initialises");

  // Zooming: keys, buttons, a drag over the ruler.
  const all = await ruler(page);
  await page.keyboard.press("Enter");
  const close = await ruler(page);
  assert.notDeepEqual(close, all);
  const bar = await kubelet.locator("i").boundingBox();
  const track = await kubelet.locator(".track").boundingBox();
  assert.ok(bar.width > track.width * 0.95, `the bar fills its row: ${bar.width} of ${track.width}`);
  await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual(await ruler(page), close);
  await page.keyboard.press("0");
  assert.deepEqual(await ruler(page), all);
  await page.locator("#in").click();
  assert.notDeepEqual(await ruler(page), all);
  await page.locator("#out").click();
  assert.deepEqual(await ruler(page), all);
  const scale = await page.locator("#ruler div").boundingBox();
  await page.mouse.move(scale.x + scale.width * 0.25, scale.y + 8);
  await page.mouse.down();
  await page.mouse.move(scale.x + scale.width * 0.5, scale.y + 8, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await ruler(page), all);
  await page.locator("#all").click();
  assert.deepEqual(await ruler(page), all);

  // What was asked for, and nothing else; the longest first.
  const rows = await page.locator("#rows [role=option]").count();
  await page.locator("#critical").check();
  assert.ok((await page.locator("#rows [role=option]").count()) < rows);
  assert.equal(await page.locator("#rows .beside").count(), 0);
  await page.locator("#critical").uncheck();
  await page.locator("#longest").check();
  assert.match(await page.locator("#rows [role=option] .name").first().textContent(), /Provision/);
  await page.locator("#longest").uncheck();
  await page.locator("#table th button", { hasText: "took" }).click();
  assert.equal(await page.locator("#table th[aria-sort=descending]").textContent(), "took");

  // Everything can be reached with the keyboard alone.
  await page.locator("#all").focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "rows");
}

async function several(page) {
  assert.equal(await page.locator("#stacks button").count(), 2);
  assert.ok((await page.locator("#phases tbody tr").count()) > 5);
  await page.locator("#stacks button").nth(1).click();
  assert.equal(await page.locator("#stacks [aria-pressed=true]").count(), 1);
  assert.match(await page.locator("#summary").textContent(), /hostile/);
  // What a stranger's program wrote is shown as it is.
  assert.match(await page.locator("#rows").textContent(), /<img src=x onerror=alert\(1\)>/);
  assert.match(await page.locator("#evidence").textContent(), /<\/script><script>alert\(2\)<\/script>/);
}

async function many(page) {
  const rows = page.locator("#stacks button");
  assert.equal(await rows.count(), 8);
  // Names say what tells the starts apart, and one that never became a node is marked.
  assert.equal(await rows.first().locator("span").first().textContent(), "fast");
  assert.match(await rows.filter({ hasText: "failed-api-server" }).textContent(), /not Ready/);
  assert.deepEqual(await page.locator("#phases thead th").allTextContents(), ["starts", "median", "90 of 100", "99 of 100"]);
  assert.match(await page.locator("#phases tbody tr", { hasText: "node-ready" }).textContent(), /^node-ready7/);
}

async function fits(page, width) {
  await page.setViewportSize({ width, height: 1000 });
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${content} in ${window}`);
  const least = await page.evaluate(() => {
    const texts = [...document.querySelectorAll("main *")].filter((it) => it.offsetParent && it.childNodes[0]?.nodeType === 3);
    return Math.min(...texts.map((it) => parseFloat(getComputedStyle(it).fontSize)));
  });
  assert.ok(least >= 11.5, `letters of ${least} px`);
  const name = await page.locator("#rows .name").first().boundingBox();
  assert.ok(name.width >= 100, `names of ${name.width} px`);
  // A table may be wider than the window, but not so that its first numbers are out of it.
  for (const table of ["#table", "#phases"]) {
    const cells = page.locator(`${table} tbody td`);
    if ((await cells.count()) === 0 || !(await cells.first().isVisible())) continue;
    const first = await page.locator(`${table} tbody tr`).first().locator("td").first().boundingBox();
    assert.ok(first.x + first.width <= width, `${table}: numbers begin at ${first.x} of ${width}`);
  }
  const what = await page.locator("#table tbody td").first().boundingBox();
  assert.ok(what.width >= 100, `a column of ${what.width} px for names`);
  await page.screenshot({ path: path.join(area, `page-${page.start}-${width}.png`), fullPage: true });
}

// The contrast of two colours, as WCAG counts it.
const contrast = (page) => page.evaluate(() => {
  const light = (color) => {
    const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => Number(part) / 255);
    const linear = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return [document.body, document.getElementById("summary")].map((element) => {
    const text = light(getComputedStyle(element).color);
    return (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
  });
});

async function main() {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const pages = [];
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, "one.html", { colorScheme });
      for (const ratio of await contrast(page)) assert.ok(ratio >= 4.5, `${colorScheme}: contrast ${ratio}`);
      await page.screenshot({ path: path.join(area, `page-${colorScheme}.png`) });
      await keep(page, colorScheme === "light" ? "anatomy-page" : "anatomy-page-dark");
      pages.push(page);
    }
    const [page] = pages;
    await oneStart(page);
    for (const width of [400, 1600]) await fits(page, width);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#tools").isVisible(), false);
    assert.equal(await page.locator("#rows .name").last().isVisible(), true);
    const both = await open(browser, "several.html");
    await several(both);
    await fits(both, 400);
    pages.push(both);
    const all = await open(browser, "many.html");
    await many(all);
    await keep(all, "anatomy-compare");
    for (const width of [400, 1600]) await fits(all, width);
    pages.push(all);
    const without = await open(browser, "one.html", { javaScriptEnabled: false });
    assert.ok(await without.locator("noscript svg, svg").first().isVisible(), "a picture without scripts");
    pages.push(without);
    for (const page of pages) assert.deepEqual(page.wrong, []);
  } finally {
    await browser.close();
  }
}

main().then(() => console.log("all is well"), (error) => { console.error(error); process.exitCode = 1; });
