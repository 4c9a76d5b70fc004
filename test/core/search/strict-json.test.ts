import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OddValue } from '../../../contract/texts/show-value.ts'
import { NotJson, parseStrictJson } from '../../../core/search/strict-json.ts'

const messageOf = (text: string) => {
  try {
    return parseStrictJson(text)
  } catch (error) {
    return error instanceof NotJson ? error.message : 'another error'
  }
}

/** The result of `JSON.parse`. */
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('strict JSON', () => {
  it('reads the same values as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text)
        expect(parseStrictJson(JSON.stringify(value, undefined, indent))).toStrictEqual(value)
      }),
    )
  })

  it.each([' ', '\t', '\n', '\r', ' \r\n\t '])('reads over %j between all tokens, and over no other space', (space) => {
    const tokens = ['{', '"a"', ':', '[', '1', ',', '"\\\\"', ',', 'null', ']', '}']
    expect(parseStrictJson(['', ...tokens, ''].join(space))).toEqual({ a: [1, '\\', null] })
    expect(messageOf(tokens.join(`${space}\u00a0`))).toMatch(/line \d+, column \d+/)
  })

  it('accepts exactly the texts that JSON.parse accepts', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '"b"',
        '\\',
        '\\u0',
        '\\"',
        ' ',
        '\n',
        '\u00a0',
        '\u0001',
        '\u2028',
      ],
      ...['0', '1', '-', '.', 'e', '+', '1.50', '01', 'true', 'nul', 'null', 'NaN', "'", '/**/', '{}', '[]', '"a":1'],
    )
    const pieces = fc.array(piece, { maxLength: 8 }).map((all) => all.join(''))
    fc.assert(
      fc.property(
        fc.oneof(
          pieces,
          pieces.map((text) => `[${text}]`),
          pieces.map((text) => `{"x":${text}}`),
        ),
        (text) => {
          expect([text, messageOf(text)].join().includes('the body is not valid JSON')).toBe(!isJson(text))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it.each([
    '1e-400',
    '1000100002.00000001',
    '1e400',
    '-0',
    '1.0',
    '1e3',
    '9007199254740993',
    '100000000000000000000000',
  ])('keeps the number %s as written', (written) => {
    expect(parseStrictJson(`[${written}]`)).toEqual([new OddValue(written)])
  })

  it.each(['0', '-1', '1000100002', '9007199254740991', '0.5'])('reads %s as a number', (written) => {
    expect(parseStrictJson(written)).toBe(Number(written))
  })

  it('reads none of the values of a duplicate name', () => {
    const odd = new OddValue('several values under one name')
    expect(parseStrictJson('{"a": 1, "b": [{"c": 1, "c": 1, "c": 2}], "\\u0061": 2}')).toEqual({
      a: odd,
      b: [{ c: odd }],
    })
    expect(parseStrictJson('[{"a": 1}, {"a": 2}]')).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('reads __proto__ as an ordinary field', () => {
    const value = parseStrictJson('{"__proto__": {"npis": [0]}}')
    expect(Object.keys(Object(value))).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it.each([
    ['', 'expected a value at line 1, column 1, where the body ends'],
    ['  ', 'expected a value at line 1, column 3, where the body ends'],
    ['{"npis": [1,]}', 'expected a value at line 1, column 13'],
    ['{"npis": [1', 'expected a comma or ] at line 1, column 12, where the body ends'],
    ['{\n  "npis": [1]\n  "x": 1}', 'expected a comma or } at line 3, column 3'],
    ['{"npis" [1]}', 'expected a colon at line 1, column 9'],
    ["{'npis': [1]}", 'expected a name in double quotes at line 1, column 2'],
    ['{"a": 1,}', 'expected a name in double quotes at line 1, column 9'],
    ['{} {}', 'expected nothing more at line 1, column 4'],
    ['[01]', 'expected a comma or ] at line 1, column 3'],
    ['["a\nb"]', 'expected a string (closed, with control characters escaped) at line 1, column 2'],
    ['["a', 'expected a string (closed, with control characters escaped) at line 1, column 2'],
    ['["\\x"]', 'expected a string (closed, with control characters escaped) at line 1, column 2'],
  ])('reports what it expected in %j, and where', (text, message) => {
    expect(messageOf(text)).toBe(`the body is not valid JSON: ${message}`)
  })

  it('never repeats the text in a message', () => {
    expect(messageOf('{"npis": secret}')).not.toContain('secret')
  })

  it('reads 32 levels and refuses any more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(parseStrictJson(nested(32))).toEqual(JSON.parse(nested(32)))
    for (const levels of [33, 1_000_000])
      expect(messageOf(nested(levels))).toBe('the body is nested more than 32 levels deep')
    expect(messageOf('{"a":'.repeat(33))).toBe('the body is nested more than 32 levels deep')
  })

  it('reads a string of a megabyte', () => {
    const long = 'x"\\\u2028'.repeat(250_000)
    expect(parseStrictJson(JSON.stringify(long))).toBe(long)
  })
})
