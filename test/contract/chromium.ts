import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { chromium as playwright } from 'playwright-core'

const root = join(import.meta.dirname, '../..')

/** npm only has a Chromium for Linux on x64. */
export const hasChromium = process.platform === 'linux' && process.arch === 'x64'

/** Starts the Chromium that npm installed; it is unpacked at the first start, which takes some seconds. */
export async function openChromium(): Promise<Browser> {
  // Read when the package is imported: makes it unpack libraries that a machine without a desktop lacks.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs24.x'
  // The package unpacks into the temporary folder, and mistakes what it finds there for its own version.
  const folder = join(root, 'node_modules', '.cache', 'chromium-153.0.0')
  mkdirSync(folder, { recursive: true })
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  const { default: chromium } = await import('@sparticuz/chromium')
  const executablePath = await chromium.executablePath()
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  // The package's configuration names its fonts below /tmp; without a font there is no text.
  const fonts = join(folder, 'own-fonts.conf')
  writeFileSync(fonts, `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`)
  // Not the package's own arguments, which disable the web security that is tested.
  return await playwright.launch({
    executablePath,
    args: ['--no-sandbox', '--headless=shell'],
    env: { ...process.env, FONTCONFIG_FILE: fonts },
  })
}
