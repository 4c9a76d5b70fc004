import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldValues } from '../../../../loader/decode/by-bytes/field-values.ts'
import { odd, short } from '../../../../loader/decode/json/byte-scan.ts'
import { parsePublished } from '../../../../loader/decode/json/published-number.ts'
import { createHashKey } from '../../../../loader/decode/keyed-hash.ts'
import { seedsFrom } from '../../../builders/test-machine.ts'

/** Creates the values of a field, and records each value that is parsed. */
function createValues() {
  const parsed: unknown[] = []
  const values = new FieldValues(
    (value) => {
      parsed.push(value)
      return parsed.length - 1
    },
    createHashKey(seedsFrom(1)),
  )
  const read = (text: string) => {
    const bytes = Buffer.from(`${text},`)
    const stop = values.read(bytes, 0, bytes.length)
    return stop < 0 ? stop : { value: parsed[values.number] }
  }
  return { values, parsed, read }
}

const parse = (text: string): unknown => parsePublished(text, true)

const anyValue = fc.jsonValue({ maxDepth: 2 })

describe('the values of a field', () => {
  it('parses each value once, in whatever order the values recur', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"11"', '["11","22"]', 'null', '12', '123', '1.0', '1.05', '{"a":[1]}'), {
          minLength: 1,
        }),
        (texts) => {
          const { parsed, read } = createValues()
          for (const text of texts) expect(read(text)).toEqual({ value: parse(text) })
          expect(parsed).toHaveLength(new Set(texts).size)
        },
      ),
    )
  })

  it('reads any value as JSON does', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 2 }), (all) => {
        const { read } = createValues()
        for (const text of all.map((value) => JSON.stringify(value))) expect(read(text)).toEqual({ value: parse(text) })
      }),
    )
  })

  it('never reads beyond the end of the bytes, and never takes the start of a value for the value', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const { values, read } = createValues()
        const bytes = Buffer.from(`${JSON.stringify(value)},`)
        read(JSON.stringify(value))
        expect(values.read(bytes, 0, cut % (bytes.length - 1))).toBe(short)
      }),
    )
  })

  it.each(['"a\u0001"', '[1,]', '01', 'nul', '}', '"\\x"', ''])('leaves %j to parsing', (text) => {
    expect(createValues().read(text)).toBe(odd)
  })

  it('throws if a number is requested before a value was read', () => {
    expect(() => createValues().values.number).toThrow(new RangeError('no value of the field has been read'))
  })

  it('goes on reading values by their bytes after more of them than it remembers', () => {
    const { parsed, read } = createValues()
    const count = 60_000
    for (let index = 0; index < count; index++) read(`"note ${index} of many"`)
    expect(read('"note 59999 of many"')).toEqual({ value: 'note 59999 of many' })
    expect(parsed).toHaveLength(count)
  })
})
