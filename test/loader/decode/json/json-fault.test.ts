import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonFault, nameFault } from '../../../../loader/decode/json/json-fault.ts'
import { isJson } from '../../is-json.ts'

describe('a text that is not JSON', () => {
  it.each([
    ['{"a": x}', { position: 6, reason: 'a value expected' }],
    ['{"a": 1,\n}', { position: 9, reason: 'expected double-quoted property name' }],
    ['[1,\n2 3]', { position: 6, reason: "expected ',' or ']' after array element" }],
    ['[1}', { position: 2, reason: "expected ',' or ']' after array element" }],
    ['{"a" 1}', { position: 5, reason: "expected ':' after property name" }],
    ['[01]', { position: 2, reason: 'unexpected number' }],
    ['["a\nb"]', { position: 3, reason: 'bad control character in string literal' }],
    ['{} x', { position: 3, reason: 'unexpected non-whitespace character after JSON' }],
    ['<html>', { position: 0, reason: 'a value expected' }],
    ['undefined', { position: 0, reason: 'a value expected' }],
    ['["a in JSON at position 9", trux]', { position: 31, reason: 'a value expected' }],
  ])('reports its first fault and the position: %j', (text, fault) => {
    expect(findJsonFault(text)).toEqual(fault)
  })

  it('counts as cut short wherever it was cut', () => {
    const text = JSON.stringify({ a: [1.5e-7, true, null, 'x\\"\u0001é', {}, []], b: { c: [[false]] } }, undefined, 1)
    const cuts = Array.from({ length: text.length }, (_, length) => text.slice(0, length))
    expect(cuts.map((cut) => findJsonFault(cut)?.position)).toEqual(cuts.map((cut) => cut.length))
  })

  it('reports the position of its fault however long its strings are', () => {
    const text = `["${'a'.repeat(20_000_000)}`
    expect(findJsonFault(text)).toMatchObject({ position: text.length })
    expect(findJsonFault(`${text}", x]`)).toMatchObject({ position: text.length + 3 })
  })

  it('can become JSON before its fault, but not including it', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'[]{}",:1-.e\\un tfalsr\n'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(characters, fc.json()), (text) => {
        const fault = findJsonFault(text)
        expect(fault === undefined).toBe(isJson(text))
        if (fault === undefined) return
        const before = text.slice(0, fault.position)
        expect(findJsonFault(before)?.position ?? before.length).toBe(before.length)
        if (fault.position === text.length) return
        expect(findJsonFault(text.slice(0, fault.position + 1))?.position).toBe(fault.position)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('naming a fault', () => {
  it.each([
    ['[.85]', 'the number .85 in place of 0.85', 1],
    ['{"a":-.5}', 'the number -.5 in place of -0.5', 5],
    ['{"a": 5. }', 'the number 5. in place of 5', 6],
    ['[+1]', 'the number +1 in place of 1', 1],
    ['[1,0125.50]', 'the number 0125.50 with leading zeros', 3],
    ['[-Infinity]', 'the word -Infinity in place of null', 1],
    ['[nan]', 'the word nan in place of null', 1],
    ['{"a":None}', 'the word None in place of null', 5],
    ['[True]', 'the word True in place of true', 1],
    ['["a\tb"]', 'a raw tab in a text', 3],
    ['["a\r\nb"]', 'a raw line break in a text', 3],
    ['["a\0b"]', 'a control character in a text', 3],
    ['["\\WAKE"]', 'a backslash that escapes nothing', 2],
    ['[1 , ]', 'a comma after the last value', 3],
    ['{"a":1,}', 'a comma after the last value', 6],
  ])('calls %s %s, which --repair fixes', (text, reason, start) => {
    expect(nameOf(text)).toEqual({ reason, start, hint: ': --repair fixes it' })
  })

  it.each([
    ["['a']", 'a text in single quotes'],
    ['[1, // a\n2]', 'a comment'],
    ['{"a":1,/* b */}', 'a comment'],
    ['[0x1F]', 'a hexadecimal number'],
    ['{"a":125,50}', 'a number with a comma'],
    ['{a:1}', 'a field name without quotes'],
  ])('calls %s %s, which it does not fix', (text, reason) => {
    expect(nameOf(text)).toMatchObject({ reason, hint: '' })
  })

  it.each(['{"a" NaN}', '[1 NaN]', '[x]', '["a\\\nb"]', '["\\u12"]', '[1}', '{NaN:1}'])(
    'promises no repair of %j by its name',
    (text) => {
      expect(nameOf(text).hint).toBe('')
    },
  )
})

function nameOf(text: string) {
  const fault = findJsonFault(text)
  if (fault === undefined) throw new Error(`${text} is JSON`)
  return nameFault(Buffer.from(text), fault.position, fault.reason)
}
