import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'
import { at } from '../../schema/at.ts'
import { type BundleInputs, collectInputs } from './third-party-notices.ts'

/** A document with everything that it needs. */
interface BuiltDocument {
  readonly html: string
  /** The inputs of its script, as esbuild reports them. */
  readonly inputs: BundleInputs
}

/** Builds the document that assistants show with a summary. Its policy admits only its own script and style. */
export function buildPlot(root: string): BuiltDocument {
  const settings = { absWorkingDir: root, bundle: true, minify: true, write: false, logLevel: 'warning' } as const
  const script = buildSync({
    ...settings,
    ...pageScript,
    entryPoints: ['page/plot-app/main.tsx'],
    format: 'iife',
    metafile: true,
  })
  const style = buildSync({ ...settings, entryPoints: ['page/plot-app/plot-app.css'] })
  const code = at(script.outputFiles, 0).text.trim()
  const rules = at(style.outputFiles, 0).text.trim()
  if (/<\/(script|style)/.test(code + rules))
    throw new TypeError('the script or the style of the plot ends its element')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(rules)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const places = [
    ['{policy}', policy],
    ['<link rel="stylesheet" href="plot-app.css">', `<style>${rules}</style>`],
    ['<script src="main.js"></script>', `<script>${code}</script>`],
  ] as const
  const template = readFileSync(join(root, 'page/plot-app/index.html'), 'utf8')
  return {
    html: places.reduce((text, [place, content]) => text.split(place).join(content), template),
    inputs: collectInputs(script.metafile),
  }
}

/** Settings of esbuild for everything that runs in browsers. */
export const pageScript = {
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
} satisfies BuildOptions

const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
