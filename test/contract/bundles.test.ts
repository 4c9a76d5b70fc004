import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../schema/function-names.ts'
import { readText, root } from '../templates/source-files.ts'

describe('the bundle of a function', () => {
  // These parse a search by its schema; the tools of assistants are described by schemas too.
  const withSchemas = ['create-search', 'estimate-search', 'serve-assistants']
  const withoutSchemas = functionNames.filter((name) => !withSchemas.includes(name))

  it('contains only tables and names of the contract, unless the function parses a request by its schema', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: withoutSchemas.map((name) => `lambdas/${name}/index.ts`),
      outdir: 'bundles',
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    })
    const inputs = Object.keys(metafile.inputs).filter((path) => path.startsWith('contract/'))
    expect(inputs).not.toEqual([])
    expect(inputs.filter((path) => path.startsWith('contract/schemas/') || path.endsWith('/calls.ts'))).toEqual([])
    expect(inputs.filter((path) => readText(path).includes("from 'valibot'"))).toEqual([])
  })
})
