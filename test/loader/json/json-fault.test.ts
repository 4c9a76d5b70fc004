import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../../../loader/json/json-fault.ts'

describe('a text that is not JSON', () => {
  it.each([
    ['{"a": x}', { position: 6, expected: 'a value', cutShort: false }],
    ['{"a": 1,\n}', { position: 9, expected: 'a field name', cutShort: false }],
    ['[1,\n2 3]', { position: 6, expected: 'a comma or the end', cutShort: false }],
    ['[1}', { position: 2, expected: 'a comma or the end', cutShort: false }],
    ['{"a" 1}', { position: 5, expected: 'a colon', cutShort: false }],
    ['[01]', { position: 1, expected: 'a value or ]', cutShort: false }],
    ['["a\nb"]', { position: 1, expected: 'a value or ]', cutShort: false }],
    ['{} x', { position: 3, expected: 'nothing more', cutShort: false }],
    ['<html>', { position: 0, expected: 'a value', cutShort: false }],
  ])('has its first fault located: %j', (text, fault) => {
    expect(findJsonFault(text)).toEqual(fault)
  })

  it('is reported as cut short wherever it was cut', () => {
    const text = JSON.stringify({ a: [1.5e-7, true, null, 'x\\"\u0001é', {}, []], b: { c: [[false]] } }, undefined, 1)
    const cuts = Array.from({ length: text.length }, (_, length) => text.slice(0, length))
    expect(cuts.map((cut) => findJsonFault(cut)?.cutShort)).toEqual(cuts.map(() => true))
  })

  it('has its fault located however long its strings are', () => {
    expect(findJsonFault(`["${'a'.repeat(20_000_000)}`)).toMatchObject({ position: 1, cutShort: true })
  })

  it('is distinguished from JSON as by the engine', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'[]{}",:1-.e\\un tfalsr\n'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(characters, fc.json()), (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: 3000 },
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
