import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../schema/function-names.ts'
import { readText, root } from '../templates/source-files.ts'

describe('the bundle of a function', () => {
  // The tools of assistants are described by schemas at run time, in a function of their own.
  const withoutSchemas = functionNames.filter((name) => name !== 'serve-assistants')

  it('contains only tables and names of the contract, because schemas are imported as types', async () => {
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
