import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonStream, tooLong } from '../../../../loader/decode/json/json-stream.ts'
import { charactersOf, isNumber } from '../../../../loader/decode/json/published-number.ts'

/** Streams a text in chunks of a given size. */
function streamOf(text: string, chunkSize = 7): JsonStream {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let start = 0; start < bytes.length; start += chunkSize) yield bytes.subarray(start, start + chunkSize)
  }
  return new JsonStream(chunks())
}

const path = () => 'a'
const limit = 1 << 20

async function readElements(text: string, chunkSize: number): Promise<unknown[]> {
  const stream = streamOf(text, chunkSize)
  const elements: unknown[] = []
  for await (const _ of stream.elements(path)) elements.push(await stream.read({ path, limit }))
  await stream.finish()
  return elements
}

describe('a stream of JSON', () => {
  it('reads the elements of an array like JSON.parse, however the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 1),
        async (values, size, indent) => {
          const elements = await readElements(JSON.stringify(values, undefined, indent), size)
          expect(JSON.stringify(elements.map(toPlain))).toBe(JSON.stringify(values))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('keeps the characters of every number that a float would change', async () => {
    const number = fc
      .tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,20}$/)), fc.option(fc.integer({ min: -400, max: 400 })))
      .map(
        ([whole, fraction, exponent]) => `${whole}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`,
      )
    const common = fc.constantFrom('0', '-0', '1.0', '1.50', '0.00000010', '690.64460', '12345678901234567890', '1E2')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(number, common)), async (numbers) => {
        const [element] = await readElements(`[[${numbers.join(', ')}]]`, 11)
        expect(Array.isArray(element) && element.map(charactersOf)).toEqual(numbers)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps the value of every number in a field, and its characters if fields hold ids', async () => {
    const text = '{"id": 690.50, "rate": 12345678901234567890.5}'
    const values = await streamOf(text).read({ path, limit })
    expect(values).toMatchObject({ rate: { characters: '12345678901234567890.5' } })
    expect(await streamOf('{"id": 690.50}').read({ path, limit })).toEqual({ id: 690.5 })
    const ids = await streamOf('{"id": 690.50}').read({ path, limit, keepsFields: true })
    expect(ids).toMatchObject({ id: { characters: '690.50' } })
  })

  it('lets the caller enter or skip a value that is longer than the limit', async () => {
    const stream = streamOf('{"a": {"b": [1, 2, "]"], "c": "\\"}"}, "d": 5}')
    const fields: unknown[] = []
    for await (const field of stream.fields(() => '')) {
      const value = await stream.read({ path, limit: 8 })
      fields.push(field, value)
      if (value === tooLong) await stream.skip(path)
    }
    expect(fields).toEqual(['a', tooLong, 'd', 5])
  })

  it.each([
    ['[1, ]', 'is not JSON: a comma after the last value at byte 2 (a): --repair fixes it'],
    ['[1 2]', 'a comma or ] expected at byte 3'],
    ['["é", x]', 'a value expected at byte 7'],
    ['[1', 'is cut short at byte 2'],
    ['[{"a": "b]', 'is cut short at byte 10'],
    ['[] 1', 'nothing more expected at byte 3'],
    ['{}', 'an array expected at byte 0'],
    ['', 'is empty'],
  ])('reports the position of the fault in %s', async (text, fault) => {
    await expect(readElements(text, 3)).rejects.toThrow(fault)
  })
})

function toPlain(value: unknown): unknown {
  if (isNumber(value)) return Number(charactersOf(value))
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toPlain(field)]))
}
