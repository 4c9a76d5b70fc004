import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { describeThirdPartyNotices } from '../../lib/functions/third-party-notices.ts'

/**
 * Builds the package `rate-search` when npm packs it: the library as it is written, and the command as bundled files.
 * They have what they need of other packages, so this one has no dependency in any way of installing it.
 */

const root = join(import.meta.dirname, '../..')
const build = join(root, 'client/build')

rmSync(build, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', join(root, 'client')], {
  stdio: 'inherit',
})
const { metafile } = buildSync({
  absWorkingDir: root,
  entryPoints: ['client/cli/main.ts'],
  outdir: 'client/build/cli',
  bundle: true,
  // The libraries of `mcp` are a file of their own, which other commands do not load.
  splitting: true,
  platform: 'node',
  format: 'esm',
  // The oldest Node that the package promises to run on.
  target: 'node20.3',
  // Names and lines stay, so that a stack trace can be read.
  minifySyntax: true,
  metafile: true,
  logLevel: 'warning',
})
const inputs = Object.values(metafile.outputs).map((output) => output.inputs)
writeFileSync(join(build, 'THIRD-PARTY-NOTICES.txt'), describeThirdPartyNotices(root, Object.assign({}, ...inputs)))
