import fc from 'fast-check'
import { anyBody } from '../builders/request-bodies.ts'

/** JSON as text, because values cannot have duplicate members, out-of-range numbers or an own `__proto__`. */

const strangeNumbers = ['1e999', '-1e999', '-0', '0.0', '1E10', '1003000126.0', '9'.repeat(400), '1e-400', '5e-324']
const strangeStrings = ['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\ufffd"', '"\\u202e"', '"__proto__"', '"0"']
const strangeValues = ['null', 'true', '{}', '[]', '[null]', '[[]]', '{"payer":null}', '{"__proto__":{"payer":"a"}}']

const quoted = fc.string({ unit: 'binary', maxLength: 80 }).map((text) => JSON.stringify(text))

const nested = fc
  .record({ depth: fc.integer({ min: 1, max: 3000 }), isObject: fc.boolean() })
  .map(({ depth, isObject }) =>
    isObject ? `${'{"npis":'.repeat(depth)}0${'}'.repeat(depth)}` : `${'['.repeat(depth)}${']'.repeat(depth)}`,
  )

const anyValue = fc.oneof(
  { arbitrary: fc.constantFrom(...strangeNumbers, ...strangeStrings, ...strangeValues), weight: 3 },
  { arbitrary: quoted, weight: 2 },
  { arbitrary: fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify(value)), weight: 2 },
  nested,
)

const listNames = ['npis', 'tins', 'billing_codes', 'fee_schedules'] as const
const names = [
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"payer"',
  '"plan"',
  '"NPIS"',
  '""',
  '"a.b[0]"',
  '"\\u0000"',
]
const memberName = fc.oneof(
  { arbitrary: fc.constantFrom(...listNames).map((name) => JSON.stringify(name)), weight: 4 },
  { arbitrary: fc.constantFrom(...names), weight: 2 },
  quoted,
)

/** Sometimes a list longer than the contract allows, within the maximum body size. */
const listOf = fc
  .tuple(fc.array(anyValue, { maxLength: 5 }), fc.constantFrom(1, 1, 1, 1, 1, 1, 60, 2500))
  .map(([items, times]) => {
    const text = items.join(',')
    const most = Math.max(1, Math.floor(100_000 / (text.length + 1)))
    const copies = text === '' ? 1 : Math.min(times, most)
    return `[${Array.from({ length: copies }, () => text).join(',')}]`
  })

const pair = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('"payer"', '"plan"'), memberName), anyValue), { maxLength: 4 })
  .map((members) => `{${members.map((member) => member.join(':')).join(',')}}`)

const anyObject = fc
  .array(
    fc.tuple(
      memberName,
      fc.oneof(
        anyValue,
        listOf,
        fc.array(pair, { maxLength: 3 }).map((it) => `[${it}]`),
      ),
    ),
    {
      maxLength: 6,
    },
  )
  .map((members) => `{${members.map((member) => member.join(':')).join(',')}}`)

const validText = anyBody.map((body) => JSON.stringify(body))

/** A valid search with one token replaced, or with a member added at the front or the end. */
const mutatedText = fc
  .record({
    text: validText,
    at: fc.nat(),
    value: anyValue,
    name: memberName,
    change: fc.constantFrom('replace', 'prepend', 'append'),
  })
  .map(({ text, at, value, name, change }) => {
    if (change === 'prepend') return `{${name}:${value},${text.slice(1)}`
    if (change === 'append') return `${text.slice(0, -1)},${name}:${value}}`
    const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*":?|-?\d+/g)].filter(([token]) => !token.endsWith(':'))
    const token = tokens[at % tokens.length]
    if (token === undefined) return text
    return text.slice(0, token.index) + value + text.slice(token.index + token[0].length)
  })

/** Valid JSON of any shape, as text. */
export const anyJsonText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: mutatedText, weight: 5 },
  { arbitrary: anyObject, weight: 3 },
  { arbitrary: anyValue, weight: 1 },
  { arbitrary: validText, weight: 1 },
)
