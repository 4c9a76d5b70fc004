import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { generateInNetworkFile } from '../../../bench/loader/generate-in-network-file.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { anyHostileText } from '../published/hostile-text.ts'
import { anyFilter, filterOption } from '../published/odd-values.ts'
import { file, schema1File } from '../staging/any-file.ts'
import { stageBothWays } from './stage-both-ways.ts'

const samples = join(import.meta.dirname, '../../fixtures/price-transparency')

/** Names and texts that look like the structure of a file, anywhere in it. */
const trap = fc.constantFrom('}],"in_network":[{', '"}]}', '\\', '],"provider_references":[', '[[{{', ',', 'é\u2028😀')

const anyTrap = fc.record({
  root: fc.dictionary(trap, fc.oneof(trap, fc.constant({ in_network: [1, { provider_references: [] }] }))),
  description: trap,
  isLast: fc.boolean(),
})

/** Any file with traps, whose references come first or last. */
const withTraps = (anyFile: fc.Arbitrary<Fields>): fc.Arbitrary<Fields> =>
  fc.tuple(anyFile, anyTrap).map(([content, { root, description, isLast }]) => {
    const { provider_references, in_network, ...fields } = content
    const items = Array.isArray(in_network)
      ? in_network.map((item: object, index) => (index % 2 === 0 ? { ...item, description } : item))
      : in_network
    const references = provider_references === undefined ? {} : { provider_references }
    return isLast
      ? { ...root, in_network: items, ...fields, ...references }
      : { ...fields, ...references, ...root, in_network: items }
  })

describe('a file that is staged in pieces', () => {
  const stack = new AsyncDisposableStack()
  afterAll(() => stack.disposeAsync())

  async function openFile(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'cut-'))
    stack.defer(() => rm(folder, { recursive: true }))
    return join(folder, 'rates.json')
  }

  it('has the rows and findings of each sample of CMS', async () => {
    const names = (await readdir(samples)).filter((name) => /^in-network.*sample\.json$/.test(name))
    expect(names).toHaveLength(3)
    for (const name of names) {
      const { whole, cut, differences } = await stageBothWays(join(samples, name), {}, {})
      expect(whole).toBeTypeOf('object')
      expect(cut).toEqual(whole)
      expect(differences).toEqual([])
    }
  })

  it.each(['referenced', 'shared', 'unique'] as const)(
    'has the rows of a larger file whose groups are %s, in several parts a piece',
    async (groups) => {
      const path = await openFile()
      await generateInNetworkFile(path, { megabytes: 4, groups, largeItem: 0 })
      const sizes = { smallest: 400_000, largest: 1_000_000 }
      const { whole, cut, differences, files, scratch } = await stageBothWays(
        path,
        { sizes: { rows: 3000 } },
        { sizes, width: 3 },
      )
      expect(cut).toEqual(whole)
      expect(differences).toEqual([])
      expect(files).toContain('part-00000-00001.parquet')
      expect(scratch.filter((name) => !/^(?:staging|references)\.duckdb|^used-/.test(name))).toEqual([])
    },
    120_000,
  )

  it.each([
    ['2.x', withTraps(file)],
    ['1.x', withTraps(schema1File)],
  ] as const)(
    'has the rows and findings of the whole file, for any file of schema %s and any filter',
    async (_schema, anyFile) => {
      const path = await openFile()
      await fc.assert(
        fc.asyncProperty(
          anyFile,
          anyFilter,
          fc.integer({ min: 1, max: 2000 }),
          fc.integer({ min: 1, max: 3 }),
          async (content, kept, largest, width) => {
            await writeFile(path, JSON.stringify(content))
            const filter = filterOption(kept)
            const { whole, cut, differences } = await stageBothWays(path, filter, {
              sizes: { smallest: 1, largest },
              width,
            })
            expect(whole).toBeTypeOf('object')
            expect(cut).toEqual(whole)
            expect(differences).toEqual([])
          },
        ),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 15) },
      )
    },
    600_000,
  )

  it.each([
    ['2.x', file],
    ['1.x', schema1File],
  ] as const)(
    'has the rows and findings of the whole file, or is left to be staged whole, for any hostile bytes of schema %s',
    async (_schema, anyFile) => {
      const path = await openFile()
      await fc.assert(
        fc.asyncProperty(
          anyHostileText(anyFile),
          anyFilter,
          fc.boolean(),
          fc.constantFrom(0, 0.4, 1),
          async (bytes, kept, strict, maxSkipped) => {
            await writeFile(path, bytes)
            const filter = filterOption(kept)
            const { whole, cut, differences, files } = await stageBothWays(path, { ...filter, strict, maxSkipped }, {})
            if (cut === undefined) expect(files).toEqual([])
            else expect(cut).toEqual(whole)
            expect(differences ?? []).toEqual([])
            // Only a name with an escape is not found by its bytes, and only an array with an element is cut.
            const isPlain = typeof whole === 'object' && !bytes.includes('\\u00') && whole.published > 0
            if (isPlain) expect(cut).toBeDefined()
          },
        ),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 30) },
      )
    },
    600_000,
  )

  it.each([
    ['no element between two commas', '[{},,{}]'],
    ['a comma at the end', '[{},{},]'],
    ['a comma at the start', '[,{}]'],
    ['the wrong bracket', '[{},{}}'],
    ['no element', '[]'],
    ['twice', '[{}],"in_network":[{}]'],
    ['an array that does not end', '[{},{}'],
  ])('is left to be staged whole if its items have %s', async (_title, items) => {
    const path = await openFile()
    const text = JSON.stringify({ ...buildFile(), in_network: 0 })
    const item = JSON.stringify(buildItem())
    await writeFile(path, text.replace('"in_network":0', `"in_network":${items.replaceAll('{}', item)}`))
    const { cut, files, scratch } = await stageBothWays(path, {}, {})
    expect([cut, files, scratch]).toEqual([undefined, [], []])
  })

  it('joins references that come after the items', async () => {
    const path = await openFile()
    const { provider_references, in_network, ...fields } = buildFile({
      in_network: Array.from({ length: 9 }, (_, index) => buildItem({ references: [index % 3] })),
      provider_references: [1, 2].map((provider_group_id) => buildReference({ provider_group_id })),
    })
    await writeFile(path, JSON.stringify({ in_network, ...fields, provider_references }))
    const { whole, cut, differences } = await stageBothWays(path, {}, {})
    expect(cut).toEqual(whole)
    expect(cut).toMatchObject({ prices: 6, findings: [{ rule: 'dangling-reference', count: 3 }] })
    expect(differences).toEqual([])
  })

  it('ends with the reason of its signal', async () => {
    const path = await openFile()
    await generateInNetworkFile(path, { megabytes: 2, groups: 'referenced', largeItem: 0 })
    const stopping = new AbortController()
    const onProgress = ({ prices }: { readonly prices: number }) =>
      void (prices > 1000 && stopping.abort(new Error('stopped')))
    const sizes = { smallest: 100_000, largest: 400_000 }
    const { cut } = await stageBothWays(path, { signal: stopping.signal, onProgress }, { sizes })
    expect(cut).toBe('Error: stopped')
  })
})
