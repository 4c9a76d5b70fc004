import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { runApp } from '../command/local-service.ts'
import { anyAddress } from '../command/packaged-service.ts'
import { runCommand } from '../command/run-command.ts'

const usage = `
Packs the service to run without this checkout: compiled commands, the synthesised stack of the local service with its
bundles, and the samples. It needs a Node of the same floor where it is installed.

Usage: npm run package -- [--out <folder>]

  --out <folder>  folder of the tarball (default build)
  --help          print this
`

const root = join(import.meta.dirname, '../..')

interface Manifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly config: { readonly lowestNode: string }
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

await runCommand(usage, async () => {
  const { values } = readOptions({ options: { out: { type: 'string', default: 'build' } } })
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-service-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '--project', import.meta.dirname, '--outDir', folder], { stdio: 'inherit' })
    await runApp(join(folder, 'assembly'), anyAddress)
    copyFiles(folder)
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(describePackage(folder), null, 2)}\n`)
    mkdirSync(values.out, { recursive: true })
    const npm = ['pack', '--silent', '--pack-destination', resolve(values.out)]
    const name = execFileSync('npm', npm, { cwd: folder, encoding: 'utf8' }).trim()
    process.stdout.write(`${join(values.out, name)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Copies what the commands read besides code. */
function copyFiles(folder: string): void {
  cpSync(join(root, 'docs/package.md'), join(folder, 'README.md'))
  for (const path of ['LICENSE', 'bin/compile-cache.cjs', 'stages'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(root, 'local/samples'), join(folder, 'local/samples'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') && !path.endsWith('generator'),
  })
}

/** Describes the package: the scripts whose files were compiled, and what they need at run time. */
function describePackage(folder: string) {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { version, description, license, type, config, dependencies } = manifest
  const scripts = Object.entries(manifest.scripts).flatMap(([name, script]) => {
    const source = script.split(' ').find((word) => word.endsWith('.ts')) ?? ''
    const compiled = source.replace(/\.ts$/, '.js')
    const isRemoved = source === 'bin/removed-command.ts'
    return source !== '' && !isRemoved && existsSync(join(folder, compiled))
      ? [[name, script.replace(source, compiled)]]
      : []
  })
  return {
    name: 'rate-search-service',
    version,
    description,
    license,
    type,
    engines: { node: `>=${config.lowestNode}` },
    bin: { 'rate-search-service': 'bin/package/service-command.js', 'rate-search': 'client/cli/main.js' },
    scripts: Object.fromEntries(scripts),
    dependencies,
  }
}
