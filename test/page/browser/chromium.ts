import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type LaunchOptions, chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { root } from '../../templates/source-files.ts'

/** npm only has a Chromium for Linux on x64. */
const isInNpm = process.platform === 'linux' && process.arch === 'x64'

/** Where Chrome and its relatives are installed. */
const knownPaths: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  linux: ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`),
  win32: ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].flatMap((path) =>
    ['C:\\Program Files', 'C:\\Program Files (x86)'].map((folder) => `${folder}\\${path}`),
  ),
}

/** `CHROME_PATH`, or on machines that npm has no Chromium for, the first browser that is installed. */
function findInstalled(): string | undefined {
  const { CHROME_PATH: own } = process.env
  return own || (isInNpm ? undefined : knownPaths[process.platform]?.find((path) => existsSync(path)))
}

/** Without a browser, the tests of the page are reported as skipped. */
export const hasChromium = isInNpm || findInstalled() !== undefined

/** Starts a browser before the tests of a suite, and closes it after them. */
export function useChromium(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openChromium()
  }, 120_000)
  afterAll(() => browser?.close())
  return () => {
    if (browser === undefined) throw new TypeError('the browser is not started')
    return browser
  }
}

/** Starts an installed Chrome, or the Chromium of npm, which takes some seconds to unpack at the first start. */
async function openChromium(): Promise<Browser> {
  const installed = findInstalled()
  // Not the arguments that the npm package proposes: they disable the web security that is tested.
  const args = ['--no-sandbox', '--headless=shell']
  if (installed !== undefined) return await playwright.launch({ executablePath: installed, args: ['--no-sandbox'] })
  return await playwright.launch({ ...(await unpackChromium()), args })
}

async function unpackChromium(): Promise<LaunchOptions> {
  // Read when the package is imported: makes it unpack libraries that a machine without a desktop lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs24.x'
  const cache = join(root, 'node_modules', '.cache')
  const folder = join(cache, 'chromium-153.0.0')
  mkdirSync(cache, { recursive: true })
  // Tests in other processes start it at the same time, so it appears there only when it is complete.
  const unpacked = existsSync(folder) ? folder : mkdtempSync(`${folder}-`)
  // The package unpacks into the temporary folder, and mistakes what it finds there for its own version.
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = unpacked
  const { default: chromium } = await import('@sparticuz/chromium')
  const executablePath = await chromium.executablePath()
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  // The package's configuration names its fonts below /tmp; without a font there is no text.
  const fonts = `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`
  writeFileSync(join(unpacked, 'own-fonts.conf'), fonts)
  if (unpacked !== folder) moveInto(folder, unpacked)
  const { LD_LIBRARY_PATH: libraries } = process.env
  if (libraries !== undefined) process.env['LD_LIBRARY_PATH'] = libraries.replaceAll(unpacked, folder)
  return {
    executablePath: executablePath.replace(unpacked, folder),
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'own-fonts.conf') },
  }
}

function moveInto(folder: string, unpacked: string): void {
  try {
    renameSync(unpacked, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    // Another process was faster.
    rmSync(unpacked, { recursive: true })
  }
}
