import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { readText, root } from '../../templates/source-files.ts'

const { dependencies } = v.parse(
  v.object({ dependencies: v.record(v.string(), v.string()) }),
  JSON.parse(readText('package.json')),
)
const { include, exclude } = v.parse(
  v.object({ include: v.array(v.string()), exclude: v.array(v.string()) }),
  JSON.parse(readText('bin/package/tsconfig.json')),
)

/** Names of the packages that the files of the package import, directly or through others. */
function findPackages(): readonly string[] {
  const files = globSync(include, { cwd: join(root, 'bin/package'), exclude })
  const { metafile } = buildSync({
    absWorkingDir: join(root, 'bin/package'),
    entryPoints: files.filter((file) => !file.endsWith('.d.ts')),
    outdir: 'never-written',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
  const external = imports.filter((imported) => imported.external && !imported.path.startsWith('node:'))
  return [...new Set(external.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path))]
}

describe('the field dependencies of package.json', () => {
  it('names the packages that commands other than deploy and destroy import, and no others', () => {
    expect(Object.keys(dependencies).toSorted()).toEqual(findPackages().toSorted())
  })
})
