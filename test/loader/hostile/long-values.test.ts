import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonStream, tooLong } from '../../../loader/decode/json/json-stream.ts'
import { ValueScan } from '../../../loader/decode/json/value-scan.ts'

const path = () => 'zz'
const chunkSize = 1 << 10

/** Yields a text in chunks, as a server sends them. */
async function* inChunks(text: string): AsyncGenerator<Buffer> {
  for (let start = 0; start < text.length; start += chunkSize) yield Buffer.from(text.slice(start, start + chunkSize))
}

/** Returns the maximum number of bytes that are held while a value is skipped. */
async function heldFor(value: string): Promise<number> {
  const stream = new JsonStream(inChunks(`{"zz":${value},"end":1}`))
  let maxHeld = 0
  for await (const field of stream.fields(path)) {
    if (field === 'zz') await stream.skip(path)
    else expect(await stream.read({ path, limit: 10 })).toBe(1)
    maxHeld = Math.max(maxHeld, stream.heldBytes)
  }
  await stream.finish()
  return maxHeld
}

/** Scans a value that arrives in pieces, and counts how often a byte is examined. */
function scanInPieces(text: string, pieces: number) {
  let looks = 0
  const bytes = new Proxy(Buffer.from(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++
      return Reflect.get(target, key)
    },
  })
  const scan = new ValueScan(0)
  let isWhole = false
  for (let piece = 1; piece <= pieces && !isWhole; piece++)
    isWhole = scan.advance(bytes, Math.ceil((text.length * piece) / pieces))
  return { isWhole, position: scan.position, looks }
}

const long = (count: number, unit: string) => unit.repeat(count * chunkSize)

describe('a value that is skipped', () => {
  it.each([
    ['a text', (size: number) => `["${long(size, 'a')}"]`],
    ['a text of escapes', (size: number) => `["${long(size, '\\"')}"]`],
    ['a name', (size: number) => `{"${long(size, 'a')}":1}`],
    ['a number', (size: number) => `[${long(size, '1')}]`],
    ['many texts', (size: number) => `[${long(size, '"a",')}1]`],
  ])('takes the same memory however long it is: %s', async (_, makeValue) => {
    const bytes = await heldFor(makeValue(20))
    expect(bytes).toBeLessThan(8 * chunkSize)
    expect(await heldFor(makeValue(40))).toBe(bytes)
  })

  it('may be a text longer than the longest that is read', async () => {
    const length = 17 << 20
    const stream = new JsonStream(inLargeChunks(`{"zz":"${'a\\"'.repeat(length / 3)}","end":1}`))
    const values: unknown[] = []
    for await (const field of stream.fields(path)) {
      if (field === 'zz') await stream.skip(path)
      else values.push(await stream.read({ path, limit: 10 }))
    }
    expect(values).toEqual([1])
  })
})

async function* inLargeChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += 1 << 20) yield bytes.subarray(start, start + (1 << 20))
}

describe('a value that arrives in pieces', () => {
  it.each([
    ['a text', (size: number) => `["${'a\\"'.repeat(size)}"]`],
    ['a number', (size: number) => `[${'1'.repeat(15)}${',12345678'.repeat(size)}]`],
    ['an unknown word', (size: number) => `${'x'.repeat(size)},`],
  ])('needs no more looks at a byte than in one piece: %s', (_, makeValue) => {
    for (const text of [makeValue(1000), makeValue(2000)]) {
      const whole = scanInPieces(text, 1)
      const cut = scanInPieces(text, 100)
      expect(whole.isWhole).toBe(true)
      expect(cut).toMatchObject({ isWhole: true, position: whole.position })
      // Each cut costs one more look at a number and at the first byte after it.
      expect(cut.looks).toBeLessThan(whole.looks * 1.2 + 20 * 100)
    }
  })

  it('ends at the same byte as in one piece, with the same long numbers and containers', () => {
    const anyNumber = fc.constantFrom(1, 1.5, 12345678901234567000, -3, 0.1, 1e21)
    const anyJson = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        anyNumber,
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(fc.array(anyJson), fc.array(fc.nat(200), { maxLength: 10 }), fc.boolean(), (values, cuts, isId) => {
        const text = JSON.stringify(values)
        const bytes = Buffer.from(`${text}, 1`)
        const one = new ValueScan(0, isId ? 'ids' : 'values')
        expect(one.advance(bytes, bytes.length)).toBe(true)
        const other = new ValueScan(0, isId ? 'ids' : 'values')
        const ends = [...cuts.toSorted((a, b) => a - b).filter((cut) => cut < Buffer.byteLength(text)), bytes.length]
        for (const end of ends) expect(other.advance(bytes, end)).toBe(end === bytes.length)
        for (const scan of [one, other]) expect(scan.position).toBe(Buffer.byteLength(text))
        expect([other.hasLongNumber, other.containers]).toEqual([one.hasLongNumber, one.containers])
      }),
      { numRuns: 500 },
    )
  })

  it('may be a text up to its limit, and counts as too long beyond it', async () => {
    const text = `"${'a\\"'.repeat(chunkSize)}"`
    const stream = () => new JsonStream(inChunks(text))
    expect(await stream().read({ path, limit: text.length })).toBe(JSON.parse(text))
    expect(await stream().read({ path, limit: text.length - 1 })).toBe(tooLong)
  })
})
